/** Changes of a key's leaves (its text and forms) towards another version of the bundle. */
import type { LeafName } from './message.ts'
import type { PlaceTree } from './place.ts'
import { placeBySource } from './place-by-source.ts'
import type { SourcePlaces } from './source-places.ts'

/** The leaves of a key to set and to drop. */
export interface LeafChanges {
  key: string
  /** Leaves of the other version. It says where the key stands if it is absent. */
  set: [LeafName, string][]
  drop: LeafName[]
}

/**
 * A copy of a tree with changed leaves. Its arrays may have gaps, see `refuseGaps`. All removals come first.
 * @param changes in the order of the other version's file, so that arrays grow from their beginning
 * @throws Failure `unfit` for a form of an array item with a text that stays
 */
export function withLeafChanges(
  now: PlaceTree,
  other: PlaceTree,
  changes: readonly LeafChanges[],
  source?: SourcePlaces,
): PlaceTree {
  const tree = now.copy()
  for (const { key, set, drop } of changes) {
    // Array items have no forms: an item that becomes a plural again must move.
    const moves = set.some(isForm) && now.get(key)?.home.list === true
    for (const leaf of drop) tree.remove(leaf, set.length > 0 && !moves)
    if (moves) for (const [leaf] of set) tree.remove(leaf)
  }
  for (const { key, set } of changes) {
    if (set.length === 0) continue
    const plural = set.some(isForm)
    const otherPlace = other.flat ? undefined : other.get(key)!.place()
    const entry = tree.get(key) ?? tree.add(key, placeBySource(tree, key, source, plural) ?? otherPlace, plural)
    for (const [leaf, text] of set) tree.set(entry, leaf, text)
  }
  return tree
}

const isForm = ([leaf]: [LeafName, string]): boolean => leaf.kind !== 'text'
