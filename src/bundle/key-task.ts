/** Writing one key of a file, told in bytes and words alone, as another thread can compute it. */
import { parseBundle } from './canonical.ts'
import { Failure } from './errors.ts'
import type { Format } from './names.ts'
import { fileOf, type MadeFile } from './push.ts'
import { type Put, putKey } from './put-key.ts'

/** What is written, see `putKey`. */
export interface KeyTask {
  name: string
  value: unknown
  /** Where it is written; nothing is computed without. */
  onto: { stored: Uint8Array; format: Format } | undefined
}

/** What came of it, or why nothing did. */
export type KeyAnswer = (Omit<Put, 'bundle'> & { file: MadeFile }) | { failure: Failure } | undefined

/** Computes it by the same steps as on the model. */
export function computeKey({ name, value, onto }: KeyTask): KeyAnswer {
  if (onto === undefined) return undefined
  try {
    const before = parseBundle(onto.stored, onto.format, { expendable: true })
    const { bundle, ...put } = putKey(before, name, value)
    return { ...put, file: fileOf(bundle, put.result !== 'unchanged') }
  } catch (error) {
    if (error instanceof Failure) return { failure: error }
    throw error
  }
}
