/** What was done last on this page, for whoever shows it. */
import { announce } from '../shell/announce.ts'

/** A commit that this page made. */
export interface Made {
  slug: string
  /** Its full id. */
  revision: string
  sentence: string
}

let made: Made | null = null
const watchers = new Set<() => void>()

/** Shows what was done, and says it. Null shows nothing any more. */
export function tellDone(done: Made | null): void {
  made = done
  if (done) announce(done.sentence)
  for (const watcher of watchers) watcher()
}

/** Hears of each. @returns stops hearing */
export const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** The last, null for none. */
export const lastMade = (): Made | null => made
