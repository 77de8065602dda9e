/** Removes a key or form by name, or a list of leaves. */
import { unfit } from './complaints.ts'
import { type FileChange, fileChangeOf, type ParsedCache, type Stored } from './file-change.ts'
import type { JsonNode } from './json-node.ts'
import { type LeafName, type Message, messageOf, peel } from './message.ts'
import type { PlaceTree } from './place.ts'
import { Bundle } from './resource.ts'

/** A removal's result. */
export interface Removal {
  bundle: Bundle
  /** The given name without a form's suffix. */
  key: string
  /** What the key still holds; undefined when gone. */
  message: Message | undefined
}

/**
 * Removes a key with its text and forms, or one form by its name (`item_one`): a suffix always means a form.
 * @returns undefined when there is no such key or form
 * @throws Failure `unfit` for an array item with items behind it (see {@link refuseGaps})
 */
export function removeKey(bundle: Bundle, name: string): Removal | undefined {
  const named = peel(name)
  const entry = bundle.tree.get(named.key)
  if (!entry || (named.kind !== 'text' && entry.value(named) === undefined)) return undefined
  const leaves = named.kind === 'text' ? entry.leaves().map(([leaf]) => leaf) : [named]
  const tree = treeWithout(bundle.tree, leaves)
  refuseGaps(tree)
  const rest = tree.get(named.key)
  return { bundle: new Bundle(bundle.format, tree), key: named.key, message: rest && messageOf(rest) }
}

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

/** As {@link removeKey}, from bytes to bytes. */
export function computeRemoval(
  { stored, name }: { stored: Stored; name: string },
  cache: ParsedCache,
): { key: string; message: Message | null; file: FileChange } | null {
  const bundle = cache.checkOut(stored)
  const removal = removeKey(bundle, name)
  if (!removal) {
    fileChangeOf(bundle, stored, { changed: false, cache })
    return null
  }
  const { key, message = null } = removal
  return { key, message, file: fileChangeOf(removal.bundle, stored, { changed: true, cache }) }
}
