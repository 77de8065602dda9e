/** Changes of stored files, from bytes to bytes, and a cache of parsed trees. */
import { blobId, parseBundle, renderBundle } from './canonical.ts'
import { mostBytes } from './file-size.ts'
import type { Format } from './names.ts'
import type { PlaceTree } from './place.ts'
import { Bundle, inFormat } from './resource.ts'
import { placesOf, type SourceFile } from './source-file.ts'

/** A file to change, and its blob id. */
export interface Stored {
  /** Its organization. The cache must not reveal, or evict, a tree of another organization. */
  owner: string
  id: string
  bytes: Uint8Array
  format: Format
  /** Has the places of new keys; absent of the source language itself. */
  source?: SourceFile | undefined
}

/** A change's canonical file; null when no key is left, undefined when nothing changed. */
export type MadeFile = { id: string; bytes: Uint8Array } | null | undefined

/** A cache of parsed trees. `take` removes a tree for one change; `keep` stores the changed tree. */
export interface Trees {
  /** A stored bundle for one change. */
  take(stored: Stored): Bundle
  /** @param file the bundle's present file: its id, length in bytes and owner */
  keep(file: { owner: string; id: string; length: number }, bundle: Bundle): void
}

/** Caches nothing. */
export const NO_TREES: Trees = {
  take: ({ bytes, format }) => parseBundle(bytes, format, { expendable: true }),
  keep: () => {},
}

/** Caches the last tree, so that writing a large bundle key by key parses it once. */
export class LastTree implements Trees {
  #kept: { name: string; tree: PlaceTree } | undefined

  take(stored: Stored): Bundle {
    const kept = this.#kept
    this.#kept = undefined
    if (kept?.name !== treeName(stored)) return NO_TREES.take(stored)
    return new Bundle(stored.format, kept.tree, { expendable: true })
  }

  keep({ owner, id }: { owner: string; id: string }, { format, tree }: Bundle): void {
    if (isAsRead(tree)) this.#kept = { name: treeName({ owner, id, format }), tree }
  }
}

/** The cache key of a tree. */
export const treeName = ({ owner, id, format }: Omit<Stored, 'bytes'>): string => `${owner} ${id} ${format}`

/** Whether a changed tree equals the tree of its rendered file: each place follows from its name. */
export const isAsRead = (tree: PlaceTree): boolean => tree.plain || tree.flat

/** The file of a bundle after a change. @param trees caches the bundle for the next change @throws Failure `too-large` */
export function fileOf(
  bundle: Bundle,
  stored: Stored,
  { changed, trees }: { changed: boolean; trees: Trees },
): MadeFile {
  const { owner } = stored
  if (!changed) {
    trees.keep({ owner, id: stored.id, length: stored.bytes.length }, bundle)
    return undefined
  }
  if (bundle.size === 0) return null
  const bytes = renderBundle(bundle, mostBytes(stored.bytes))
  const id = blobId(bytes)
  trees.keep({ owner, id, length: bytes.length }, bundle)
  return { id, bytes }
}

/** A stored file in another format. */
export function computeReformat({ stored, format }: { stored: Stored; format: Format }): MadeFile {
  const bundle = inFormat(NO_TREES.take(stored), format, placesOf(stored.source))
  return fileOf(bundle, stored, { changed: true, trees: NO_TREES })
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
