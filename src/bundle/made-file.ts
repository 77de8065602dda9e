/** What a change makes of a stored file, and the trees that stay from one change to the next. */
import { blobId, parseBundle, renderBundle } from './canonical.ts'
import type { Format } from './names.ts'
import type { PlaceTree } from './place.ts'
import type { Bundle } from './resource.ts'

/** The canonical file of a change with its blob id, null when no key is left; undefined when nothing changed. */
export type MadeFile = { id: string; bytes: Buffer } | null | undefined

/** Where trees may stay from one change to the next; whoever takes one has it alone, and whatever comes of that, `keep` takes it back. */
export interface Trees {
  /** A stored bundle for one change. @param id of its file */
  take(id: string, format: Format, bytes: () => Buffer): Bundle
  /** @param file the one that the bundle is that of now: its id, and its length in bytes */
  keep(file: { id: string; length: number }, bundle: Bundle): void
}

/** Keeps none. */
export const NO_TREES: Trees = {
  take: (_id, format, bytes) => parseBundle(bytes(), format, { expendable: true }),
  keep: () => {},
}

/** Whether a tree that was changed is sure to be the one that its file would be read as: where names tell places. */
export const isAsRead = (tree: PlaceTree): boolean => tree.plain || tree.flat

/** The file of a bundle after a change of a stored one. @param trees where the bundle stays for the next change */
export function fileOf(
  bundle: Bundle,
  stored: { id: string; bytes: () => Buffer },
  { changed, trees }: { changed: boolean; trees: Trees },
): MadeFile {
  if (!changed) {
    trees.keep({ id: stored.id, length: stored.bytes().length }, bundle)
    return undefined
  }
  if (bundle.size === 0) return null
  const bytes = renderBundle(bundle, stored.bytes)
  const id = blobId(bytes)
  bundle.tree.follow()
  trees.keep({ id, length: bytes.length }, bundle)
  return { id, bytes }
}
