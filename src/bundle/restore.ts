/** Takes a bundle, or a key of it, back to another version. */
import { diffBundles, type KeyChange } from './diff.ts'
import type { KeyEntry } from './json-node.ts'
import { join, type LeafName, peel } from './message.ts'
import type { Format } from './names.ts'
import type { PlaceTree } from './place.ts'
import { placeBySource, withPlaces } from './place-by-source.ts'
import { refuseGaps } from './remove.ts'
import { Bundle, inFormat } from './resource.ts'
import type { SourcePlaces } from './source-places.ts'

/** A restored bundle and its changes; `bundle` is the given object when a key was right already. */
export interface Restored {
  bundle: Bundle
  changes: KeyChange[]
}

/**
 * The whole bundle as it was, with its places; a key that is absent now stands where the source has it.
 * @param format to restore it in: if another than then, each key goes where the source has it, else where its name says
 */
export function restoreBundle(now: Bundle, then: Bundle, format: Format, source?: SourcePlaces): Restored {
  const past = inFormat(then, format, source)
  const tree = source && withPlaces(past.tree, source, ({ key }) => now.tree.get(key) === undefined)
  const bundle = tree === undefined || tree === past.tree ? past : new Bundle(format, tree)
  return { bundle, changes: diffBundles(now, bundle) }
}

/** Whether a bundle has a key, or a form by its name. */
export function holds({ tree }: Bundle, name: string): boolean {
  return leavesOf(tree.get(peel(name).key), peel(name)).length > 0
}

/**
 * A key as it was, or one form by its name (`item_one`); gone if it was not there. Present keys keep their place;
 * absent ones go where the source has them, else to their old one, or where a new key would if that is taken or the
 * format differs.
 * @throws Failure `unfit` for an array item that would have to go from before others (see `refuseGaps`), or take a form
 */
export function restoreKey(now: Bundle, then: Bundle, name: string, source?: SourcePlaces): Restored {
  const named = peel(name)
  const stood = then.tree.get(named.key)
  const stands = now.tree.get(named.key)
  const wanted = leavesOf(stood, named)
  const present = leavesOf(stands, named)
  if (present.length === wanted.length && wanted.every(([leaf, text]) => stands?.value(leaf) === text)) {
    return { bundle: now, changes: [] }
  }
  const kept = new Set(wanted.map(([leaf]) => join(leaf)))
  const drop = present.map(([leaf]) => leaf).filter(leaf => !kept.has(join(leaf)))
  const tree = treeTakenBack(now.tree, then.tree, [{ key: named.key, set: wanted, drop }], source)
  refuseGaps(tree)
  const bundle = new Bundle(now.format, tree)
  return {
    bundle,
    changes: [{ key: named.key, before: now.message(named.key) ?? null, after: bundle.message(named.key) ?? null }],
  }
}

/** What of a key comes back, and what goes. */
export interface TakenBack {
  key: string
  /** Leaves that another version has, which says where the key stands if it is absent. */
  set: [LeafName, string][]
  drop: LeafName[]
}

/**
 * A copy of a tree with keys taken back, perhaps with gaps in arrays for {@link refuseGaps}. All that goes makes room
 * first.
 * @param keys what comes back in the order of the file of then, so that arrays grow from their beginning
 * @throws Failure `unfit` for a form of an array item that keeps its text
 */
export function treeTakenBack(
  now: PlaceTree,
  then: PlaceTree,
  keys: readonly TakenBack[],
  source?: SourcePlaces,
): PlaceTree {
  const tree = now.copy()
  for (const { key, set, drop } of keys) {
    // Array items have no forms: one that becomes a plural again must move.
    const moves = set.some(isForm) && now.get(key)?.home.list === true
    for (const leaf of drop) tree.remove(leaf, set.length > 0 && !moves)
    if (moves) for (const [leaf] of set) tree.remove(leaf)
  }
  for (const { key, set } of keys) {
    if (set.length === 0) continue
    const plural = set.some(isForm)
    const placeThen = then.flat ? undefined : then.get(key)!.place()
    const entry = tree.get(key) ?? tree.add(key, placeBySource(tree, key, source, plural) ?? placeThen, plural)
    for (const [leaf, text] of set) tree.set(entry, leaf, text)
  }
  return tree
}

const isForm = ([leaf]: [LeafName, string]): boolean => leaf.kind !== 'text'

/** The leaves of a name: a key's, or the one form. */
function leavesOf(entry: KeyEntry | undefined, named: LeafName): [LeafName, string][] {
  const leaves = entry?.leaves() ?? []
  return named.kind === 'text' ? leaves : leaves.filter(([leaf]) => join(leaf) === join(named))
}
