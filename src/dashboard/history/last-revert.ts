/** The last undo or restore of this tab, for the notice that offers to revert it. */
import { announce } from '../ui/announce.ts'

/** A commit that this tab created. */
export interface LastRevert {
  slug: string
  /** Its full id. */
  revision: string
  sentence: string
}

let made: LastRevert | null = null
const watchers = new Set<() => void>()

/** Shows and announces an undo or restore. Null hides it. */
export function showLastRevert(done: LastRevert | null): void {
  made = done
  if (done) announce(done.sentence)
  for (const watcher of watchers) watcher()
}

/** Calls `watcher` at each change of {@link lastRevert}. @returns stops that */
export const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** The last undo or restore; null if there is none to show. */
export const lastRevert = (): LastRevert | null => made
