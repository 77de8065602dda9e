/** What a change makes of a stored file, from bytes to bytes, and the trees that stay from one change to the next. */
import { blobId, parseBundle, renderBundle } from './canonical.ts'
import type { Format } from './names.ts'
import type { PlaceTree } from './place.ts'
import { Bundle } from './resource.ts'

/** A file that is to be changed, and its blob id. */
export interface Stored {
  /** Whose it is: how long a write takes must not tell what another organization holds, nor take it away. */
  owner: string
  id: string
  bytes: Uint8Array
  format: Format
}

/** The canonical file of a change with its blob id, null when no key is left; undefined when nothing changed. */
export type MadeFile = { id: string; bytes: Uint8Array } | null | undefined

/** Where trees may stay from one change to the next; whoever takes one has it alone, and whatever comes of that, `keep` takes it back. */
export interface Trees {
  /** A stored bundle for one change. */
  take(stored: Stored): Bundle
  /** @param file the one that the bundle is that of now: its id, its length in bytes, and whose it is */
  keep(file: { owner: string; id: string; length: number }, bundle: Bundle): void
}

/** Keeps none. */
export const NO_TREES: Trees = {
  take: ({ bytes, format }) => parseBundle(bytes, format, { expendable: true }),
  keep: () => {},
}

/** Keeps the last one: who writes a large bundle key by key need not wait for it to be read anew. */
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

/** The name that a tree is kept under. */
export const treeName = ({ owner, id, format }: Omit<Stored, 'bytes'>): string => `${owner} ${id} ${format}`

/** Whether a tree that was changed is sure to be the one that its file would be read as: where names tell places. */
export const isAsRead = (tree: PlaceTree): boolean => tree.plain || tree.flat

/** The file of a bundle after a change of a stored one. @param trees where the bundle stays for the next change */
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
  const bytes = renderBundle(bundle)
  const id = blobId(bytes)
  trees.keep({ owner, id, length: bytes.length }, bundle)
  return { id, bytes }
}

/** How many keys a file holds; a plural is one key. */
export const computeCount = ({ stored }: { stored: Stored }): number => parseBundle(stored.bytes, stored.format).size

/** The same bytes: those that came from another thread are no Buffer. */
export const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
