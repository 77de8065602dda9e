/** The one way to edit a stored bundle by name: leaves (texts and forms) to set and to drop, key by key. */
import { unfit } from './complaints.ts'
import type { JsonNode, KeyEntry } from './json-node.ts'
import { join, type LeafName } from './message.ts'
import type { PlaceTree } from './place.ts'
import { placeBySource } from './place-by-source.ts'
import type { SourcePlaces } from './source-places.ts'

/** The leaves of a key to set and to drop. */
export interface LeafChanges {
  key: string
  set: [LeafName, string][]
  drop: LeafName[]
}

/** A copy of a tree with changed leaves, see {@link applyLeafChanges}. */
export function withLeafChanges(
  now: PlaceTree,
  other: PlaceTree,
  changes: readonly LeafChanges[],
  source?: SourcePlaces,
): PlaceTree {
  const tree = now.copy()
  applyLeafChanges(tree, changes, { other, source })
  return tree
}

/**
 * Changes leaves of a tree. All removals come first. Its arrays may have gaps afterwards, see {@link refuseGaps}.
 * @param changes in the order of the other version's file, so that arrays grow from their beginning
 * @param from where an absent key stands: by the source, else as in the other version of the bundle, which has all set
 * leaves, else by its name
 * @throws Failure `unfit` for a form of an array item with a text that stays
 */
export function applyLeafChanges(
  tree: PlaceTree,
  changes: readonly LeafChanges[],
  { other, source }: { other?: PlaceTree; source?: SourcePlaces | undefined },
): void {
  // Array items have no forms: an item that becomes a plural again must move.
  const moving = new Set(changes.filter(({ key, set }) => set.some(isForm) && tree.get(key)?.home.list === true))
  for (const change of changes) {
    const { set, drop } = change
    const moves = moving.has(change)
    for (const leaf of drop) tree.remove(leaf, set.length > 0 && !moves)
    if (moves) for (const [leaf] of set) tree.remove(leaf)
  }
  for (const { key, set } of changes) {
    if (set.length === 0) continue
    const plural = set.some(isForm)
    const otherPlace = other === undefined || other.flat ? undefined : other.get(key)!.place()
    const entry = tree.get(key) ?? tree.add(key, placeBySource(tree, key, source, plural) ?? otherPlace, plural)
    for (const [leaf, text] of set) tree.set(entry, leaf, text)
  }
}

const isForm = ([leaf]: [LeafName, string]): boolean => leaf.kind !== 'text'

/**
 * A copy of a tree without some leaves, perhaps with gaps in arrays for {@link refuseGaps}.
 * @param keep whether a key without leaves stays in place, as it gets another leaf
 */
export function treeWithout(
  tree: PlaceTree,
  leaves: readonly LeafName[],
  keep: (key: string) => boolean = () => false,
): PlaceTree {
  const copy = tree.copy()
  for (const leaf of leaves) copy.remove(leaf, keep(leaf.key))
  return copy
}

/** The leaves with a name: all of a key, or one form. */
export function leavesNamed(entry: KeyEntry | undefined, named: LeafName): [LeafName, string][] {
  const leaves = entry?.leaves() ?? []
  return named.kind === 'text' ? leaves : leaves.filter(([leaf]) => join(leaf) === join(named))
}

/**
 * Refuses gaps in arrays. Items are i18next's keys `list.0`, `list.1`…: closing a gap would rename later texts, and
 * leaving it would turn the array into an object for `returnObjects`.
 * @throws Failure `unfit` naming the missing items
 */
export function refuseGaps(tree: PlaceTree): void {
  const missing = gapsOf(tree)
  if (missing.length === 0) return
  throw unfit(
    'Only the last items of an array can be removed, since later keys would change; remove items from the end, or push the whole array',
    missing,
  )
}

/** The items that arrays lack before their last, by name. */
export function gapsOf(tree: PlaceTree): string[] {
  // Plain trees have no arrays.
  return tree.plain ? [] : gapsIn(tree.root, [])
}

function gapsIn(node: JsonNode, missing: string[]): string[] {
  if (node.list) {
    for (const name of node.names()) {
      if (!node.keys.has(name) && !node.nodes.has(name)) missing.push(node.prefix + name)
    }
  }
  for (const below of node.nodes.values()) gapsIn(below, missing)
  return missing
}
