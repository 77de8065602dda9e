/** The rows of a bundle as JSON: a key, its namespace and its message each, in the order of the file. */
import { parseBundle } from './canonical.ts'
import { Failure } from './errors.ts'
import type { Format } from './names.ts'

/** The rows of a stored file, comma-separated. @throws Failure `unfit` when it is no resource */
export function renderRows(stored: Uint8Array, format: Format, namespace: string): Buffer {
  const rows = parseBundle(stored, format)
    .rows()
    .map(({ key, message }) => JSON.stringify({ key, namespace, message }))
  return Buffer.from(rows.join(','))
}

/** Files whose rows are wanted, told in bytes and words alone. */
export interface RowsTask {
  format: Format
  files: { stored: Uint8Array; namespace: string }[]
}

/** The rows of each file, or why there are none. */
export type RowsAnswer = { rows: Buffer[] } | { failure: Failure }

/** As {@link renderRows}, of several files. */
export function computeRows({ format, files }: RowsTask): RowsAnswer {
  try {
    return { rows: files.map(({ stored, namespace }) => renderRows(stored, format, namespace)) }
  } catch (error) {
    if (error instanceof Failure) return { failure: error }
    throw error
  }
}
