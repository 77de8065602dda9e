/** A bundle's rows as JSON: key, namespace and message, in the file's order. */
import { parseBundle } from './canonical.ts'
import type { Stored } from './made-file.ts'

/** A stored file's rows, comma-separated. @throws Failure `unfit` when it is no resource */
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
