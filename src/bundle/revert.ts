/** Brings a bundle, a key, or what a commit changed back to an earlier version. */
import { quoteSome } from './complaints.ts'
import { diffBundles, type KeyChange, sameMessage } from './diff.ts'
import type { KeyEntry } from './json-node.ts'
import { gapsOf, type LeafChanges, leavesNamed, refuseGaps, withLeafChanges } from './leaf-changes.ts'
import { join, messageOf, peel } from './message.ts'
import type { Format } from './names.ts'
import type { PlaceTree } from './place.ts'
import { withPlaces } from './place-by-source.ts'
import { Bundle, inFormat } from './resource.ts'
import type { SourcePlaces } from './source-places.ts'
import { arrayOf, leavesOf, threeWay } from './three-way.ts'

/** A key that stays, wholly or in part, and a sentence that says why. */
export interface SkippedRevert {
  key: string
  reason: string
}

/** `bundle` is the given object if nothing changes. Both lists are in code-unit order of keys. */
export interface RevertedBundle {
  bundle: Bundle
  changes: KeyChange[]
  skipped: SkippedRevert[]
}

/**
 * The whole bundle of an earlier version, with its places. A key that is absent now stands where the source has it.
 * @param format of the result: if it differs from `then`'s, each key goes where the source has it, else where its name
 * says
 */
export function restoreBundle(now: Bundle, then: Bundle, format: Format, source?: SourcePlaces): RevertedBundle {
  const past = inFormat(then, format, source)
  const tree = source && withPlaces(past.tree, source, ({ key }) => now.tree.get(key) === undefined)
  const bundle = tree === undefined || tree === past.tree ? past : new Bundle(format, tree)
  return { bundle, changes: diffBundles(now, bundle), skipped: [] }
}

/** Whether a bundle has a key, or a form by its name. */
export function holds({ tree }: Bundle, name: string): boolean {
  const named = peel(name)
  return leavesNamed(tree.get(named.key), named).length > 0
}

/**
 * A key as an earlier version has it, or one form by its name (`item_one`). It goes if that version lacks it. A present
 * key stays in its place. An absent key goes where the source has it, else to its old place. It goes where a new key
 * would stand if that place is occupied or the format differs.
 * @throws Failure `unfit` for an array item that has others behind it (see `refuseGaps`) or would get a form
 */
export function restoreKey(now: Bundle, then: Bundle, name: string, source?: SourcePlaces): RevertedBundle {
  const named = peel(name)
  const present = now.tree.get(named.key)
  const set = leavesNamed(then.tree.get(named.key), named)
  const own = leavesNamed(present, named)
  if (own.length === set.length && set.every(([leaf, text]) => present?.value(leaf) === text)) {
    return { bundle: now, changes: [], skipped: [] }
  }
  const wanted = new Set(set.map(([leaf]) => join(leaf)))
  const drop = own.map(([leaf]) => leaf).filter(leaf => !wanted.has(join(leaf)))
  const tree = withLeafChanges(now.tree, then.tree, [{ key: named.key, set, drop }], source)
  refuseGaps(tree)
  return reverted(now, tree, [named.key], [])
}

/**
 * Reverts text by text and form by form. A leaf that is as the commit left it goes back to what it was before. A leaf
 * that changed since stays, and its key is among the skipped.
 * @param before the bundle of the commit's parent
 * @param after the bundle of the commit
 * @param source has the places of keys that return
 */
export function revertBundle(now: Bundle, before: Bundle, after: Bundle, source?: SourcePlaces): RevertedBundle {
  const skipped: SkippedRevert[] = []
  let changes: LeafChanges[] = []
  for (const key of changedKeys(before, after)) {
    const { back, reason } = judgeKey(key, now.tree.get(key), before.tree.get(key), after.tree.get(key))
    if (reason !== undefined) skipped.push({ key, reason })
    if (back.set.length + back.drop.length > 0) changes.push(back)
  }
  for (;;) {
    const tree = withLeafChanges(now.tree, before.tree, changes, source)
    const gaps = new Set(gapsOf(tree))
    const isInGap = ({ key }: LeafChanges) => gaps.has(key) || arrayOf(key, gaps) !== undefined
    const rest = gaps.size === 0 ? changes : changes.filter(change => !isInGap(change))
    if (rest.length === changes.length) {
      refuseGaps(tree)
      const keys = changes.map(({ key }) => key)
      return reverted(now, tree, keys, skipped)
    }
    for (const change of changes) if (isInGap(change)) skipped.push({ key: change.key, reason: BEHIND })
    changes = rest
  }
}

const BEHIND = 'It is an item of an array. The keys of the items behind it would change.'
const IN_ARRAY = 'It is an item of an array by now, which has no plural forms.'
const DELETED = 'It has been deleted since.'
const CHANGED = 'It has changed since.'
const AGAIN = 'It is there again, with another text.'
/** The reason for a key that was reverted before. */
export const ALREADY = 'It is as it was before already.'

function reverted(now: Bundle, tree: PlaceTree, keys: readonly string[], skipped: SkippedRevert[]): RevertedBundle {
  const bundle = keys.length === 0 ? now : new Bundle(now.format, tree)
  const changes = keys.map(key => ({
    key,
    before: now.message(key) ?? null,
    after: bundle.message(key) ?? null,
  }))
  return { bundle, changes: changes.sort(byKey), skipped: skipped.sort(byKey) }
}

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1)

/** The keys with different messages, first those of `before` in the order of its file. */
function* changedKeys(before: Bundle, after: Bundle): Generator<string> {
  for (const entry of before.tree.entries()) {
    const { key } = entry
    if (!sameMessage(messageOf(entry), after.message(key) ?? null)) yield key
  }
  for (const { key } of after.tree.entries()) if (before.tree.get(key) === undefined) yield key
}

/** The leaves of a key to revert, and the reason why others stay. */
function judgeKey(
  key: string,
  now: KeyEntry | undefined,
  before: KeyEntry | undefined,
  after: KeyEntry | undefined,
): { back: LeafChanges; reason?: string } {
  const back: LeafChanges = { key, set: [], drop: [] }
  const since: string[] = []
  for (const leaf of leavesOf([before, after])) {
    const was = before?.value(leaf)
    const way = threeWay(after?.value(leaf), now?.value(leaf), was)
    if (way === 'conflict') since.push(join(leaf))
    else if (way === 'theirs' && was === undefined) back.drop.push(leaf)
    else if (way === 'theirs') back.set.push([leaf, was!])
  }
  if (staysInArray(now, back)) return { back: { key, set: [], drop: [] }, reason: IN_ARRAY }
  const isNothing = back.set.length + back.drop.length === 0
  if (since.length === 0) return isNothing ? { back, reason: ALREADY } : { back }
  if (!isNothing) return { back, reason: `Not all of it is undone: ${quoteSome(since)} changed since.` }
  return { back, reason: now === undefined ? DELETED : after === undefined ? AGAIN : CHANGED }
}

/** Whether an array item would get forms beside its text. */
function staysInArray(now: KeyEntry | undefined, { set, drop }: LeafChanges): boolean {
  const kinds = [...drop, ...set.map(([leaf]) => leaf)].map(({ kind }) => kind)
  return now?.home.list === true && set.length > 0 && !kinds.includes('text')
}
