/**
 * The state machine of a save. A draft that is not being saved has no state.
 *
 * draft ──queued──► queued ──sent──► sent ──answered, conflict──► no state
 *                                    sent ──offline──► offline ──reconnected, overtaken──► no state
 *                                    sent ──refused──► refused ──overtaken──► no state
 *
 * `queued` starts again from each state. A conflict is no state: it follows from the draft's base and the saved text.
 */

/** `why` is the server's sentence. */
export type SaveState = { is: 'queued' } | { is: 'sent' } | { is: 'offline' | 'refused'; why: string }

/**
 * - `queued`: the user saves; writes to the same bundle run one after the other
 * - `sent`: its turn has come
 * - `answered`, `conflict`: the server stored it, or another user's text is there
 * - `offline`: the server did not answer; `isReached` if the connection is back already
 * - `refused`: the server refused it
 * - `reconnected`: the connection is back; the text stays unsaved
 * - `overtaken`: a live event brought the typed text: another user wrote it, or the answer of a save was lost
 */
export type SaveEvent =
  | { is: 'queued' | 'sent' | 'answered' | 'conflict' | 'reconnected' | 'overtaken' }
  | { is: 'refused'; why: string }
  | { is: 'offline'; why: string; isReached: boolean }

/** Whether a save is under way. */
export const isSaving = (state: SaveState | undefined): boolean => state?.is === 'queued' || state?.is === 'sent'

/** @returns undefined for no state */
export function nextState(state: SaveState | undefined, event: SaveEvent): SaveState | undefined {
  if (event.is === 'queued') return isSaving(state) ? state : { is: 'queued' }
  if (event.is === 'sent') return state?.is === 'sent' ? state : { is: 'sent' }
  if (event.is === 'refused') return { is: 'refused', why: event.why }
  if (event.is === 'offline') return event.isReached ? undefined : { is: 'offline', why: event.why }
  if (event.is === 'reconnected') return state?.is === 'offline' ? undefined : state
  if (event.is === 'overtaken') return isSaving(state) ? state : undefined
  return undefined
}

/** By {@link saveId}. */
export type SaveStates = ReadonlyMap<string, SaveState>

/** Names the save of a row in a language. */
export const saveId = (rowId: string, language: string): string => `${language}\n${rowId}`

/** @param ids the saves that an event concerns @returns the same map if none changes */
export function nextStates(states: SaveStates, ids: Iterable<string>, event: SaveEvent): SaveStates {
  const changes = [...ids].map(id => [id, nextState(states.get(id), event)] as const)
  if (changes.every(([id, state]) => states.get(id) === state)) return states
  const changed = new Map(states)
  for (const [id, state] of changes) state ? changed.set(id, state) : changed.delete(id)
  return changed
}
