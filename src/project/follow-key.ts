/**
 * How an entry beside a bundle follows its key. An entry, such as a note that a translation is stale, belongs to the
 * text of a key in one language. It stays with a text that stays, moves with a renamed key, and returns with a text
 * that a restore or an undo brings back. Any other text has no entry.
 */
import { sameMessage } from '../bundle/diff.ts'
import type { KeyRenaming } from '../bundle/edit-key.ts'
import { linesOf, type Message, partsOf } from '../bundle/message.ts'

/** The messages of a bundle by key, null where there is none. */
export type MessageByKey = (key: string) => Message | null

/** What a change did to the texts of one language. */
export interface FollowedTexts {
  before: MessageByKey
  after: MessageByKey
  renamed: readonly KeyRenaming[]
  /** Whether an entry stays with a changed text: its author did not see the source. */
  keepsEntries: boolean
  /** The texts that the change brings back from an earlier state; undefined without such a state. */
  past: MessageByKey | undefined
}

/** A key's name before a change. */
export const nameBefore = (key: string, renamed: readonly KeyRenaming[]): string =>
  renamed.find(({ to }) => to === key)?.from ?? key

/** A key's name after a change. */
export const nameAfter = (key: string, renamed: readonly KeyRenaming[]): string =>
  renamed.find(({ from }) => from === key)?.to ?? key

/**
 * The state that has the entry of a key after a change: the state before it, or the one that it brings back. Undefined
 * for a text without an entry.
 * @param isAsLeft whether the present entry is the one of the commit to undo; true where there is no such commit
 */
export function entryOrigin(
  key: string,
  { before, after, renamed, keepsEntries, past }: FollowedTexts,
  isAsLeft: () => boolean,
): 'before' | 'past' | undefined {
  const message = after(key)
  if (!isFilled(message)) return undefined
  const was = before(nameBefore(key, renamed))
  // A text that was empty or missing had no entry.
  const stays = sameMessage(was, message) || (keepsEntries && isFilled(was))
  if (past && sameMessage(past(key), message) && (!stays || isAsLeft())) return 'past'
  return stays ? 'before' : undefined
}

/** Whether a message is a complete translation. Others have no entries. */
export const isFilled = (message: Message | null): message is Message =>
  message !== null && linesOf(partsOf(message)).every(([, text]) => text !== '')
