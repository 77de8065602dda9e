/** A place in an inbox: a row in the news of a commit. */
import { followFirstParents, type LookAtPast } from '../store/revisions/past.ts'

/** The rows of a commit from number `n` on, and everything older. */
export interface InboxPosition {
  revision: string
  n: number
}

/** As the id of an item has it. */
export const positionText = ({ revision, n }: InboxPosition): string => `${revision}-${n}`

/** Reads the id of an item; undefined for a text that is none. */
export function readPosition(text: string): InboxPosition | undefined {
  const [, revision, n] = /^([0-9a-f]{40})-(0|[1-9]\d{0,5})$/.exec(text) ?? []
  return revision === undefined ? undefined : { revision, n: Number(n) }
}

/** The places of stored ids, without those that are missing. */
export const placesOf = (...ids: (string | null)[]): InboxPosition[] =>
  ids.flatMap(id => (id === null ? [] : (readPosition(id) ?? [])))

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
