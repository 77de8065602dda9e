/** Changes of stored files, from bytes to bytes, and a cache of parsed bundles between them. */
import { blobId, bundleIn, parseBundle, renderBundle } from './canonical.ts'
import { mostBytes } from './file-size.ts'
import type { Format } from './names.ts'
import type { PlaceTree } from './place.ts'
import { Bundle, inFormat } from './resource.ts'
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
  /** Its organization. The cache must not reveal, or evict, a bundle of another organization. */
  owner: string
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

/** A cache of parsed bundles. A change checks a bundle out, has it alone, and checks the result in. */
export interface ParsedCache {
  checkOut(stored: Stored): Bundle
  /** @param file the bundle's present file: its id, length in bytes and owner */
  checkIn(file: { owner: string; id: string; length: number }, bundle: Bundle): void
}

/** Parses each file. */
export const NO_CACHE: ParsedCache = {
  checkOut: ({ bytes, format }) => parseBundle(bytes, format, { expendable: true }),
  checkIn: () => {},
}

/** Caches the last bundle, so that writing a large bundle key by key parses it once. */
export class LastParsed implements ParsedCache {
  #last: { name: string; tree: PlaceTree } | undefined

  checkOut(stored: Stored): Bundle {
    const last = this.#last
    this.#last = undefined
    if (last?.name !== treeName(stored)) return NO_CACHE.checkOut(stored)
    return new Bundle(stored.format, last.tree, { expendable: true })
  }

  checkIn({ owner, id }: { owner: string; id: string }, { format, tree }: Bundle): void {
    if (isAsRead(tree)) this.#last = { name: treeName({ owner, id, format }), tree }
  }
}

/** The name of a tree in a cache. */
export const treeName = ({ owner, id, format }: Omit<Stored, 'bytes'>): string => `${owner} ${id} ${format}`

/** Whether a changed tree surely equals its file parsed again: where names determine places. */
export const isAsRead = (tree: PlaceTree): boolean => tree.plain || tree.flat

/** The change of a file. @param cache gets the bundle for the next change @throws Failure `too-large` */
export function fileChangeOf(
  bundle: Bundle,
  stored: Stored,
  { changed, cache }: { changed: boolean; cache: ParsedCache },
): FileChange {
  const { owner } = stored
  if (!changed) {
    cache.checkIn({ owner, id: stored.id, length: stored.bytes.length }, bundle)
    return { kind: 'unchanged' }
  }
  if (bundle.size === 0) return { kind: 'removed' }
  const bytes = renderBundle(bundle, mostBytes(stored.bytes))
  const id = blobId(bytes)
  cache.checkIn({ owner, id, length: bytes.length }, bundle)
  return { kind: 'written', id, bytes }
}

/** A stored file in another format. */
export function computeReformat({ stored, format }: { stored: Stored; format: Format }): FileChange {
  const bundle = inFormat(NO_CACHE.checkOut(stored), format, placesOf(stored.source))
  return fileChangeOf(bundle, stored, { changed: true, cache: NO_CACHE })
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
