/** The key press that asks for candidates. The section of the panel answers it, which may still be loading. */

/** The text in hand. */
interface RequestedText {
  /** Of the row. */
  id: string
  language: string
}

let waiting: RequestedText | undefined
const watchers = new Set<() => void>()

/** Asks for candidates for a text. */
export function requestCandidates(text: RequestedText): void {
  waiting = text
  for (const watcher of watchers) watcher()
}

/** Calls `watcher` at each request. @returns stops that */
export function onRequest(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Whether the last request is for this text and waits. It then waits no more. */
export function acceptRequest({ id, language }: RequestedText): boolean {
  if (waiting?.id !== id || waiting.language !== language) return false
  waiting = undefined
  return true
}

/** Its user has gone on to another text. */
export function dropRequest(): void {
  waiting = undefined
}
