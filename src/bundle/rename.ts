/** Renames a key: its text and forms move. */
import { unfit } from './complaints.ts'
import { Failure } from './errors.ts'
import { type FileChange, fileChangeOf, type ParsedCache, type Stored } from './file-change.ts'
import { join, type LeafName, peel } from './message.ts'
import { keyFault } from './names.ts'
import { placeBySource } from './place-by-source.ts'
import { refuseGaps, treeWithout } from './remove.ts'
import { Bundle } from './resource.ts'
import { placesOf } from './source-file.ts'
import type { SourcePlaces } from './source-places.ts'

/**
 * The bundle with a key renamed, where a new key of that name would be.
 * @param source has the new name already
 * @returns undefined when there is no key `from`
 * @throws Failure `conflict` when there is a key `to`; `unfit` when that is a form's name, when a form would become
 * another key's, or for an array item with items behind it
 */
export function renameKey(bundle: Bundle, from: string, to: string, source?: SourcePlaces): Bundle | undefined {
  if (peel(to).kind !== 'text') throw unfit('This is the name of a plural form and cannot be that of a key', [to])
  const entry = bundle.tree.get(from)
  if (!entry) return undefined
  if (bundle.tree.get(to)) throw new Failure('conflict', `There is a key ${JSON.stringify(to)} already.`)
  const leaves = entry.leaves()
  const moved = leaves.map(([leaf, value]): [LeafName, string] => [movedTo(leaf, to), value])
  const tree = treeWithout(
    bundle.tree,
    leaves.map(([leaf]) => leaf),
  )
  refuseGaps(tree)
  const renamed = tree.add(to, placeBySource(tree, to, source, entry.hasForms), entry.hasForms)
  for (const [leaf, value] of moved) tree.set(renamed, leaf, value)
  return new Bundle(bundle.format, tree)
}

/** A leaf under the new name, which must read back so: form `one` of `x_ordinal` would be an ordinal form of `x`. */
function movedTo(leaf: LeafName, to: string): LeafName {
  const moved: LeafName = { ...leaf, key: to }
  const name = join(moved)
  const fault = keyFault(name)
  if (fault) throw unfit(`A key that ${fault}`, [name])
  const read = peel(name)
  if (read.key === to && read.kind === leaf.kind) return moved
  throw unfit(`A form of this key would be one of ${JSON.stringify(read.key)}; choose another name`, [to])
}

/** The renaming of a key in one stored file. */
export interface RenamedFile {
  /** Whether it has the key, and whether it has the new name already, and so stays. */
  holds: boolean
  taken: boolean
  file: FileChange
}

/** As {@link renameKey}, from bytes to bytes. */
export function computeRename(
  { stored, from, to }: { stored: Stored; from: string; to: string },
  cache: ParsedCache,
): RenamedFile {
  const bundle = cache.checkOut(stored)
  const holds = bundle.tree.get(from) !== undefined
  const taken = bundle.tree.get(to) !== undefined
  const renamed = holds && !taken ? renameKey(bundle, from, to, placesOf(stored.source))! : bundle
  return { holds, taken, file: fileChangeOf(renamed, stored, { changed: renamed !== bundle, cache }) }
}
