/** Which of two items of an inbox is the newer one. */
import { followFirstParents, type LookAtPast } from '../store/revisions/past.ts'
import type { InboxPosition } from './inbox-position.ts'

/** An item and the time of its commit, in seconds. */
interface TimedPosition extends InboxPosition {
  time: number
}

/** Whether `item` is newer than `other`. Commits of one second are compared by their order on the main line. */
export async function isNewer(past: LookAtPast, item: TimedPosition, other: TimedPosition): Promise<boolean> {
  if (item.revision === other.revision) return item.n < other.n
  if (item.time !== other.time) return item.time > other.time
  const found = await followFirstParents(item.revision, past, (_past, id, { time }) => {
    if (id === other.revision) return 'newer'
    return time < other.time ? 'older' : undefined
  })
  return found === 'newer'
}
