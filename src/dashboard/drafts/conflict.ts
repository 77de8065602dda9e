/** What may become of a text that was typed over one that has changed since. */

/**
 * - `none`: the text on the server is the one that was typed over
 * - `same`: another user wrote the same text
 * - `theirs`: nothing was typed, so theirs simply comes
 * - `conflict`: all three differ, and a person decides
 */
export type DraftConflict = 'none' | 'same' | 'theirs' | 'conflict'

/** Three states of a text; null is none. */
export interface DraftStates {
  /** What stood there when the typing began. */
  before: string | null
  /** What the server has now. */
  theirs: string | null
  /** What was typed. */
  yours: string | null
}

/** See {@link DraftConflict}. */
export function conflictOf({ before, theirs, yours }: DraftStates): DraftConflict {
  if (theirs === yours) return 'same'
  if (theirs === before) return 'none'
  return yours === before ? 'theirs' : 'conflict'
}
