/** Taking a bundle, or one key of it, back to what another version of it holds. */

import { diffBundles, type KeyChange } from './diff.ts'
import { inFormat } from './format.ts'
import type { Entry } from './json-node.ts'
import { join, type LeafName, peel } from './message.ts'
import type { Format } from './names.ts'
import { refuseGaps, treeWithout } from './remove.ts'
import { Bundle } from './resource.ts'

/** What restoring makes of a bundle, and what that changes; `bundle` is the very one given when a key was right already. */
export interface Restored {
  bundle: Bundle
  changes: KeyChange[]
}

/**
 * The whole of a bundle as it was: every key with the message and in the place it had then, nothing else.
 * @param format the one to restore it in: where it is another than then, each key stands where its name says
 */
export function restoreBundle(now: Bundle, then: Bundle, format: Format): Restored {
  const bundle = inFormat(then, format)
  return { bundle, changes: diffBundles(now, bundle) }
}

/** Whether a bundle holds a key, or the form when the name is a form's. */
export function holds({ tree }: Bundle, name: string): boolean {
  return leavesOf(tree.get(peel(name).key), peel(name)).length > 0
}

/**
 * One key as it was, with its text and all its forms, or one form alone when the name is a form's (`item_one`); gone when
 * it was not there. A key that is still there keeps its place. One that is not comes back to where it stood, or where a
 * new key goes if something else stands there now or the format is another. No other key changes.
 * @throws Failure `unfit` for an item of an array that would have to go from before others (see `refuseGaps`), or to take a form
 */
export function restoreKey(now: Bundle, then: Bundle, name: string): Restored {
  const named = peel(name)
  const stood = then.tree.get(named.key)
  const stands = now.tree.get(named.key)
  const wanted = leavesOf(stood, named)
  const present = leavesOf(stands, named)
  if (present.length === wanted.length && wanted.every(([leaf, text]) => stands?.value(leaf) === text)) {
    return { bundle: now, changes: [] }
  }
  // An array has no member for a form: an item that becomes a plural again must find another place.
  const leavesArray = stands?.home.list === true && wanted.some(([leaf]) => leaf.kind !== 'text')
  const kept = new Set(leavesArray ? [] : wanted.map(([leaf]) => join(leaf)))
  const going = present.map(([leaf]) => leaf).filter(leaf => !kept.has(join(leaf)))
  const tree = treeWithout(now.tree, going, () => kept.size > 0)
  if (stood && wanted.length > 0) {
    const plural = wanted.some(([leaf]) => leaf.kind !== 'text')
    const place = then.tree.flat ? undefined : stood.place()
    const entry = tree.get(named.key) ?? tree.add(named.key, place, plural)
    for (const [leaf, text] of wanted) tree.set(entry, leaf, text)
  }
  refuseGaps(tree)
  const bundle = new Bundle(now.format, tree)
  return {
    bundle,
    changes: [{ key: named.key, before: now.message(named.key) ?? null, after: bundle.message(named.key) ?? null }],
  }
}

/** The leaves of a key that a name speaks of: all of them, or the one form. */
function leavesOf(entry: Entry | undefined, named: LeafName): [LeafName, string][] {
  const leaves = entry?.leaves() ?? []
  return named.kind === 'text' ? leaves : leaves.filter(([leaf]) => join(leaf) === join(named))
}
