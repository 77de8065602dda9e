/** The maximum lengths of texts, from the notes of their namespace. */
import { isObject } from '../body.ts'
import { entriesIn } from '../key-entries.ts'
import { isMax } from '../note.ts'

/** The maximum of grapheme clusters by key; a key without one is missing. */
export type Maxima = ReadonlyMap<string, number>

export const NO_MAXIMA: Maxima = new Map()

/** Reads a file of notes. A bad file, which a person may have committed, has no maxima. */
export function maximaIn(bytes: Uint8Array | null): Maxima {
  if (bytes === null) return NO_MAXIMA
  const maxima = new Map<string, number>()
  for (const [key, note] of entriesIn(bytes)) if (isObject(note) && isMax(note.max)) maxima.set(key, note.max)
  return maxima
}
