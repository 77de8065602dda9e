/** Undoes what a commit did to a bundle, on top of what the bundle is now. */
import { quoteSome } from './complaints.ts'
import { type KeyChange, sameMessage } from './diff.ts'
import type { KeyEntry } from './json-node.ts'
import { join, type LeafName, messageOf } from './message.ts'
import { gapsOf, refuseGaps } from './remove.ts'
import { Bundle } from './resource.ts'
import { type TakenBack, treeTakenBack } from './restore.ts'
import type { SourcePlaces } from './source-places.ts'

/** A key that is not undone, or not all of it, with a sentence that says why. */
export interface Skipped {
  key: string
  reason: string
}

/** What undoing comes to; `bundle` is the given object when nothing is undone. Both lists in code-unit order of keys. */
export interface Reverted {
  bundle: Bundle
  changes: KeyChange[]
  skipped: Skipped[]
}

/**
 * Takes back text by text and form by form: what is as the commit left it goes back to what it was before, what has
 * changed since stays and is told.
 * @param before the bundle of the commit's parent
 * @param after that of the commit
 * @param source has the places of keys that come back
 */
export function revertBundle(now: Bundle, before: Bundle, after: Bundle, source?: SourcePlaces): Reverted {
  const skipped: Skipped[] = []
  let keys: TakenBack[] = []
  for (const key of changedKeys(before, after)) {
    const { back, reason } = judge(key, now.tree.get(key), before.tree.get(key), after.tree.get(key))
    if (reason !== undefined) skipped.push({ key, reason })
    if (back.set.length + back.drop.length > 0) keys.push(back)
  }
  let tree = treeTakenBack(now.tree, before.tree, keys, source)
  for (let gaps = gapsOf(tree); gaps.length > 0; gaps = gapsOf(tree)) {
    const missing = new Set(gaps)
    const left = keys.filter(({ key }) => !isWithin(key, missing))
    if (left.length === keys.length) refuseGaps(tree)
    for (const { key } of keys) if (isWithin(key, missing)) skipped.push({ key, reason: BEHIND })
    keys = left
    tree = treeTakenBack(now.tree, before.tree, keys, source)
  }
  const bundle = keys.length === 0 ? now : new Bundle(now.format, tree)
  const changes = keys.map(({ key }) => ({
    key,
    before: now.message(key) ?? null,
    after: bundle.message(key) ?? null,
  }))
  return { bundle, changes: changes.sort(byKey), skipped: skipped.sort(byKey) }
}

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1)

const BEHIND = 'It is an item of an array and cannot go before those behind it, whose keys would change.'
const IN_ARRAY = 'It is an item of an array by now, which has no plural forms.'
const DELETED = 'It has been deleted since.'
const CHANGED = 'It has changed since.'
const AGAIN = 'It is there again, with another text.'
/** The reason for a key that somebody has undone before. */
export const ALREADY = 'It is as it was before already.'

/** The keys whose messages differ: first those of before, in the order of its file. */
function* changedKeys(before: Bundle, after: Bundle): Generator<string> {
  for (const entry of before.tree.entries()) {
    const { key } = entry
    if (!sameMessage(messageOf(entry), after.message(key) ?? null)) yield key
  }
  for (const { key } of after.tree.entries()) if (before.tree.get(key) === undefined) yield key
}

/** What of a key is undone, and why not the rest. */
function judge(
  key: string,
  now: KeyEntry | undefined,
  before: KeyEntry | undefined,
  after: KeyEntry | undefined,
): { back: TakenBack; reason?: string } {
  const back: TakenBack = { key, set: [], drop: [] }
  const since: string[] = []
  for (const leaf of leavesOf(before, after)) {
    const [was, made, is] = [before?.value(leaf), after?.value(leaf), now?.value(leaf)]
    if (was === made || is === was) continue
    if (is !== made) since.push(join(leaf))
    else if (was === undefined) back.drop.push(leaf)
    else back.set.push([leaf, was])
  }
  if (staysInArray(now, back)) return { back: { key, set: [], drop: [] }, reason: IN_ARRAY }
  const isNothing = back.set.length + back.drop.length === 0
  if (since.length === 0) return isNothing ? { back, reason: ALREADY } : { back }
  if (!isNothing) return { back, reason: `Not all of it is undone: ${quoteSome(since)} changed since.` }
  return { back, reason: now === undefined ? DELETED : after === undefined ? AGAIN : CHANGED }
}

/** The leaves of either. */
function leavesOf(...entries: (KeyEntry | undefined)[]): Iterable<LeafName> {
  const leaves = entries.flatMap(entry => entry?.leaves() ?? [])
  return new Map(leaves.map(([leaf]) => [join(leaf), leaf])).values()
}

/** Whether forms would come to an array item that keeps its text. */
function staysInArray(now: KeyEntry | undefined, { set, drop }: TakenBack): boolean {
  const kinds = [...drop, ...set.map(([leaf]) => leaf)].map(({ kind }) => kind)
  return now?.home.list === true && set.length > 0 && !kinds.includes('text')
}

/** Whether a key is one of these items, or below one. */
function isWithin(key: string, items: ReadonlySet<string>): boolean {
  for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', dot + 1)) {
    if (items.has(key.slice(0, dot))) return true
  }
  return items.has(key)
}
