/** The conflict between typed text and a text that has changed since. */

/**
 * - `none`: the text on the server is the one that was typed over
 * - `same`: another user wrote the same text
 * - `theirs`: nothing was typed, so theirs replaces it
 * - `conflict`: all three differ, and a person decides
 */
export type DraftConflict = 'none' | 'same' | 'theirs' | 'conflict'

/** Three states of a text; null is none. */
export interface DraftStates {
  /** The text when the typing began. */
  before: string | null
  /** The server's text now. */
  theirs: string | null
  /** The typed text. */
  yours: string | null
}

/** See {@link DraftConflict}. */
export function conflictOf({ before, theirs, yours }: DraftStates): DraftConflict {
  if (theirs === yours) return 'same'
  if (theirs === before) return 'none'
  return yours === before ? 'theirs' : 'conflict'
}
