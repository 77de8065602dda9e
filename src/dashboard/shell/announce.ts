/** Words for screen readers about what happened elsewhere on the page; sighted people see it in its place. */

const tell = new EventTarget()

/** Says a sentence politely, after what is being read. */
export function announce(sentence: string): void {
  tell.dispatchEvent(new CustomEvent('say', { detail: sentence }))
}

/** Hears what is to be said. @returns stops hearing */
export function onAnnouncement(said: (sentence: string) => void): () => void {
  const hear = (event: Event) => said((event as CustomEvent<string>).detail)
  tell.addEventListener('say', hear)
  return () => tell.removeEventListener('say', hear)
}
