/** Changes of stored files, from bytes to bytes. */
import { blobId, bundleIn, parseBundle, renderBundle } from './canonical.ts'
import { mostBytes } from './file-size.ts'
import type { Format } from './names.ts'
import { type Bundle, inFormat } from './resource.ts'
import { SourcePlaces } from './source-places.ts'

/** A file of the source language, by its blob id. */
export interface SourceFile {
  id: string
  bytes: Uint8Array
}

/** Bytes of a file that stays parsed for the next write: apps send keys one by one. */
const LARGEST_RETAINED = 2 ** 20

let last: { id: string; places: SourcePlaces } | undefined

/** The places of a source file, undefined without one. A file that a person has broken has none. */
export function placesOf(source: SourceFile | undefined): SourcePlaces | undefined {
  if (source === undefined) return undefined
  const { id } = source
  if (last?.id === id) return last.places
  const { bytes } = source
  const places = new SourcePlaces(bundleIn(bytes).tree)
  if (bytes.length <= LARGEST_RETAINED) last = { id, places }
  return places
}

/** A file to change, and its blob id. */
export interface Stored {
  id: string
  bytes: Uint8Array
  format: Format
  /** Has the places of new keys; absent of the source language itself. */
  source?: SourceFile | undefined
}

/** What a change did to a file. It writes canonical bytes, or removes a file without keys. */
export type FileChange =
  | { kind: 'unchanged' }
  | { kind: 'removed' }
  | { kind: 'written'; id: string; bytes: Uint8Array }

/** A stored file's bundle, for one change: the change may modify it. */
export const parseStored = ({ bytes, format }: Stored): Bundle => parseBundle(bytes, format, { expendable: true })

/** The change of a file. @throws Failure `too-large` */
export function fileChangeOf(bundle: Bundle, stored: Stored, changed: boolean): FileChange {
  if (!changed) return { kind: 'unchanged' }
  if (bundle.size === 0) return { kind: 'removed' }
  const bytes = renderBundle(bundle, mostBytes(stored.bytes))
  return { kind: 'written', id: blobId(bytes), bytes }
}

/** A stored file in another format. */
export function computeReformat({ stored, format }: { stored: Stored; format: Format }): FileChange {
  return fileChangeOf(inFormat(parseStored(stored), format, placesOf(stored.source)), stored, true)
}

/** A file's number of keys; a plural is one. */
export const computeCount = ({ stored }: { stored: Stored }): number => parseBundle(stored.bytes, stored.format).size

/**
 * A stored file's rows as JSON, comma-separated: key, namespace and message, in the file's order.
 * @throws Failure `unfit` when it is no resource
 */
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

/** The same bytes as a Buffer. Bytes from another thread arrive as a plain Uint8Array. */
export const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
