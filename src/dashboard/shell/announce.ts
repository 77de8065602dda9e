/** Words for screen readers about what happened elsewhere on the page; sighted people see it in its place. */

/** What is said: that something happened, or where one is now. */
type Kind = 'said' | 'moved'

const tell = new EventTarget()
let last = { sentence: '', at: 0 }
/** The name of the page; the browser says the first one. */
let title: string | undefined
/** The same within so many ms is one thing that two places found. */
const AT_ONCE = 500

/** Says a sentence politely, after what is being read. */
export function announce(sentence: string): void {
  const at = Date.now()
  if (sentence === last.sentence && at - last.at < AT_ONCE) return
  last = { sentence, at }
  tell.dispatchEvent(new CustomEvent('said', { detail: sentence }))
}

/** Says the name of the page that one is on now, if it is another one. */
export function moved(to: string): void {
  if (title !== undefined && title !== to) tell.dispatchEvent(new CustomEvent('moved', { detail: to }))
  title = to
}

/** Hears what is to be said. @returns stops hearing */
export function onAnnouncement(kind: Kind, said: (sentence: string) => void): () => void {
  const hear = (event: Event) => said((event as CustomEvent<string>).detail)
  tell.addEventListener(kind, hear)
  return () => tell.removeEventListener(kind, hear)
}
