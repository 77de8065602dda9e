/** The rows of a bundle as JSON: a key, its namespace and its message each, in the order of the file. */
import { parseBundle } from './canonical.ts'
import type { Stored } from './made-file.ts'

/** The rows of a stored file, comma-separated. @throws Failure `unfit` when it is no resource */
export function renderRows({
  stored,
  namespace,
}: {
  stored: Pick<Stored, 'bytes' | 'format'>
  namespace: string
}): Uint8Array {
  const rows = parseBundle(stored.bytes, stored.format)
    .rows()
    .map(({ key, message }) => JSON.stringify({ key, namespace, message }))
  return Buffer.from(rows.join(','))
}
