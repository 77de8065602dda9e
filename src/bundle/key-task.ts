/** Writing one key of a file, told in bytes and words alone, as another thread can compute it. */
import { Failure } from './errors.ts'
import { fileOf, type MadeFile, NO_TREES, type Trees } from './made-file.ts'
import { asFile, type Stored } from './push.ts'
import { type Put, putKey } from './put-key.ts'

/** What is written, see `putKey`. */
export interface KeyTask {
  name: string
  value: unknown
  /** Where it is written; nothing is computed without. */
  onto: Stored | undefined
}

/** What came of it, or why nothing did. */
export type KeyAnswer = (Omit<Put, 'bundle'> & { file: MadeFile }) | { failure: Failure } | undefined

/** Computes it by the same steps as on the model. */
export function computeKey({ name, value, onto }: KeyTask, trees: Trees = NO_TREES): KeyAnswer {
  if (onto === undefined) return undefined
  try {
    const stored = asFile(onto)
    const { bundle, ...put } = putKey(trees.take(stored.id, onto.format, stored.bytes), name, value)
    return { ...put, file: fileOf(bundle, stored, { changed: put.result !== 'unchanged', trees }) }
  } catch (error) {
    if (error instanceof Failure) return { failure: error }
    throw error
  }
}
