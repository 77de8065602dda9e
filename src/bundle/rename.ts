/** Giving a key another name: its message moves, text and all forms. */

import { unfit } from './complaints.ts'
import { Failure } from './errors.ts'
import { fileOf, type MadeFile, type Stored, type Trees } from './made-file.ts'
import { join, type LeafName, peel } from './message.ts'
import { keyFault } from './names.ts'
import { refuseGaps, treeWithout } from './remove.ts'
import { Bundle } from './resource.ts'

/**
 * The bundle with a key renamed; the new one stands where a new key of that name would.
 * @returns undefined when there is no key `from`
 * @throws Failure `conflict` when there is a key `to`; `unfit` when that is the name of a form, when a form of the key
 *   would become another key's under the new name, or for an item of an array that has items behind it
 */
export function renameKey(bundle: Bundle, from: string, to: string): Bundle | undefined {
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
  const renamed = tree.add(to, undefined, entry.hasForms)
  for (const [leaf, value] of moved) tree.set(renamed, leaf, value)
  return new Bundle(bundle.format, tree)
}

/** A leaf under the new name of its key, which must be read as that: `x_ordinal` with a form `one` would be read as an ordinal form of `x`. */
function movedTo(leaf: LeafName, to: string): LeafName {
  const moved: LeafName = { ...leaf, key: to }
  const name = join(moved)
  const fault = keyFault(name)
  if (fault) throw unfit(`A key that ${fault}`, [name])
  const read = peel(name)
  if (read.key === to && read.kind === leaf.kind) return moved
  throw unfit(`A form of this key would be one of ${JSON.stringify(read.key)}; choose another name`, [to])
}

/** What renaming a key comes to in one stored file. */
export interface Renaming {
  /** Whether it holds the key, and whether it has the new name already: then it stays as it is. */
  holds: boolean
  taken: boolean
  file: MadeFile
}

/** As {@link renameKey}, from bytes to bytes. */
export function computeRename(
  { stored, from, to }: { stored: Stored; from: string; to: string },
  trees: Trees,
): Renaming {
  const bundle = trees.take(stored)
  const holds = bundle.tree.get(from) !== undefined
  const taken = bundle.tree.get(to) !== undefined
  const renamed = holds && !taken ? renameKey(bundle, from, to)! : bundle
  return { holds, taken, file: fileOf(renamed, stored, { changed: renamed !== bundle, trees }) }
}
