/** Announcements for screen readers about events elsewhere in the dashboard. Sighted users see them in place. */

/** An announcement: an event, or the title of the current page. */
type Kind = 'said' | 'moved'

const events = new EventTarget()
let last = { sentence: '', at: 0 }
/** The title of the current page. The browser announces the first one. */
let title: string | undefined
/** Within this number of ms, equal sentences are one event with two sources. */
const AT_ONCE = 500

/** Announces a sentence politely, after the current speech. */
export function announce(sentence: string): void {
  const at = Date.now()
  if (sentence === last.sentence && at - last.at < AT_ONCE) return
  last = { sentence, at }
  events.dispatchEvent(new CustomEvent('said', { detail: sentence }))
}

/** Announces the title of the current page if it changed. */
export function moved(to: string): void {
  if (title !== undefined && title !== to) events.dispatchEvent(new CustomEvent('moved', { detail: to }))
  title = to
}

/** Subscribes to announcements. @returns unsubscribes */
export function onAnnouncement(kind: Kind, said: (sentence: string) => void): () => void {
  const hear = (event: Event) => said((event as CustomEvent<string>).detail)
  events.addEventListener(kind, hear)
  return () => events.removeEventListener(kind, hear)
}
