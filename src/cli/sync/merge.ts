/**
 * Merges a local bundle with the server's over their merge base: key by key, and plurals form by form. An empty local
 * text waits for its translation and says nothing. An empty server text hides no local one.
 */
import { outermostArray } from '../../bundle/json-node.ts'
import { gapsOf, type LeafChanges, treeWithout, withLeafChanges } from '../../bundle/leaf-changes.ts'
import { join, type LeafName } from '../../bundle/message.ts'
import type { PlaceTree } from '../../bundle/place.ts'
import { Bundle } from '../../bundle/resource.ts'
import { arrayOf, leavesOf, threeWay } from '../../bundle/three-way.ts'

/** The base text of a leaf: null for none, undefined if it is unknown. */
export type Base = (leaf: LeafName) => string | null | undefined

export type Side = 'local' | 'server'

/** Texts by the names of their leaves: `{ "nav.home": "Home" }`, `{ "item_one": …, "item_other": … }`. */
export type Texts = Record<string, string>

export function textsOf(leaves: readonly LeafName[], find: (leaf: LeafName) => string | undefined): Texts {
  const lines: [string, string][] = []
  for (const leaf of leaves) {
    const text = find(leaf)
    if (text !== undefined) lines.push([join(leaf), text])
  }
  return lines.length === 0 ? {} : Object.fromEntries(lines)
}

/** A key that both sides changed in different ways. */
export interface Conflict {
  /** The array, if both sides changed its length. */
  key: string
  leaves: LeafName[]
  /** Undefined without a known base. */
  base: Texts | undefined
  local: Texts
  server: Texts
}

/** The leaves that differ, by what happens to them. */
export interface Merge {
  local: Bundle
  server: Bundle
  /** Leaves that the local file gets, or loses because the server deleted them. */
  pull: LeafName[]
  /** Leaves that the server gets. */
  push: LeafName[]
  /** Leaves that were deleted here and did not change on the server. */
  deleted: LeafName[]
  conflicts: Conflict[]
}

type Fate = 'same' | 'pull' | 'push' | 'deleted' | 'conflict'

/**
 * Decides on one leaf. Undefined means missing, for `base` unknown.
 * @param isSource whether an empty local text is a new key that the server gets
 */
export function fateOf(
  base: string | null | undefined,
  local: string | undefined,
  server: string | undefined,
  isSource = false,
): Fate {
  if (local === server) return 'same'
  if (isSource && local === '' && server === undefined && typeof base !== 'string') return 'push'
  // It waits for a translation, and the server has none.
  if (local === '') return server !== undefined || typeof base === 'string' ? 'pull' : 'same'
  if (base === undefined) {
    if (local === undefined) return 'pull'
    return server === undefined || server === '' ? 'push' : 'conflict'
  }
  const way = threeWay(base ?? undefined, local, server)
  if (way === 'theirs') return 'pull'
  const isUnedited = way === 'ours' || server === ''
  // A text that was edited on the server comes back: no text is lost.
  if (local === undefined) return isUnedited ? 'deleted' : 'pull'
  return isUnedited ? 'push' : 'conflict'
}

/** Further rules of a merge. */
interface MergeRules {
  /** Whether the origin of a local text is unknown. */
  isDoubtful?: (leaf: LeafName) => boolean
  /** Whether the bundles are of the source language: an empty local text is then a new key. */
  isSource?: boolean
}

export function merge(
  local: Bundle,
  server: Bundle,
  base: Base,
  { isDoubtful = () => false, isSource = false }: MergeRules = {},
): Merge {
  const arrays = new Set<string>()
  for (;;) {
    const merged = judge(local, server, base, { isDoubtful, isSource }, arrays)
    const before = arrays.size
    for (const array of brokenArrays(merged)) arrays.add(array)
    if (arrays.size === before) return merged
  }
}

/** The merge of a bundle without a local file. */
export function whole(server: Bundle): Merge {
  const pull = server.tree.entries().flatMap(entry => entry.leaves().map(([leaf]) => leaf))
  return { local: Bundle.empty(server.format), server, pull, push: [], deleted: [], conflicts: [] }
}

/** Resolves the conflicts of a merge, each for one side. */
export function resolved(merged: Merge, choose: (key: string) => Side): Merge {
  const result = {
    ...merged,
    pull: [...merged.pull],
    push: [...merged.push],
    deleted: [...merged.deleted],
    conflicts: [],
  }
  for (const { key, leaves } of merged.conflicts) {
    const isLocal = choose(key) === 'local'
    for (const leaf of leaves) {
      if (!isLocal) result.pull.push(leaf)
      else if (textOf(merged.local, leaf) === undefined) result.deleted.push(leaf)
      else result.push.push(leaf)
    }
  }
  return result
}

/** A bundle with these leaves copied from another one; leaves that the other lacks are removed. */
export function withLeaves(bundle: Bundle, from: Bundle, leaves: readonly LeafName[]): Bundle {
  if (leaves.length === 0) return bundle
  const keys = new Map<string, LeafChanges>()
  for (const leaf of leaves) {
    const change = keys.get(leaf.key) ?? { key: leaf.key, set: [], drop: [] }
    keys.set(leaf.key, change)
    const value = textOf(from, leaf)
    if (value === undefined) change.drop.push(leaf)
    else change.set.push([leaf, value])
  }
  const tree = withLeafChanges(bundle.tree, from.tree, inOrder(keys, from))
  return new Bundle(bundle.format, withoutHoles(tree, from))
}

/** Replaces an array with a hole by an object, if the other side has its items as members of one. */
function withoutHoles(tree: PlaceTree, from: Bundle): PlaceTree {
  return gapsOf(tree).reduce((mended, hole) => {
    const array = hole.slice(0, hole.lastIndexOf('.') + 1)
    const items = mended.entries().filter(({ key }) => key.startsWith(array))
    if (!items.every(({ key }) => from.tree.get(key))) return mended
    const set = new Map(items.map(entry => [entry.key, { key: entry.key, set: entry.leaves(), drop: [] }]))
    const leaves = items.flatMap(entry => entry.leaves().map(([leaf]) => leaf))
    return withLeafChanges(treeWithout(mended, leaves), from.tree, inOrder(set, from))
  }, tree)
}

export const textOf = ({ tree }: Bundle, leaf: LeafName): string | undefined => tree.get(leaf.key)?.value(leaf)

/** Sorts changes as the other bundle has its keys: arrays grow from their beginning. */
function inOrder(keys: ReadonlyMap<string, LeafChanges>, from: Bundle): LeafChanges[] {
  if (from.tree.plain) return [...keys.values()]
  const ordered = new Set<LeafChanges>()
  for (const { key } of from.rows()) {
    const change = keys.get(key)
    if (change) ordered.add(change)
  }
  for (const change of keys.values()) ordered.add(change)
  return [...ordered]
}

/** @param arrays each is decided as a whole */
function judge(
  local: Bundle,
  server: Bundle,
  base: Base,
  { isDoubtful, isSource }: Required<MergeRules>,
  arrays: ReadonlySet<string>,
): Merge {
  const merged: Merge = { local, server, pull: [], push: [], deleted: [], conflicts: [] }
  const conflicts = new Map<string, LeafName[]>()
  const together = new Map<string, LeafName[]>()
  const waiting: LeafName[] = []
  for (const leaf of leavesOf([...server.tree.entries(), ...local.tree.entries()])) {
    const array = arrays.size === 0 ? undefined : arrayOf(leaf.key, arrays)
    if (array !== undefined) {
      listIn(together, array).push(leaf)
      continue
    }
    const [own, stored] = [textOf(local, leaf), textOf(server, leaf)]
    const fate = own !== undefined && isDoubtful(leaf) ? 'conflict' : fateOf(base(leaf), own, stored, isSource)
    if (fate === 'conflict') listIn(conflicts, leaf.key).push(leaf)
    else if (fate !== 'same') merged[fate].push(leaf)
    else if (own !== stored) waiting.push(leaf)
  }
  merged.push.push(...itemsBeside(merged, waiting))
  for (const [array, leaves] of together) {
    const waits = (leaf: LeafName) => textOf(local, leaf) === '' && textOf(server, leaf) !== undefined
    merged.pull.push(...leaves.filter(leaf => waits(leaf) && textOf(server, leaf) !== ''))
    const said = leaves.filter(leaf => textOf(local, leaf) !== '')
    // An empty item that the server lacks goes with the others: it holds the index of the items after it.
    const differing = leaves.filter(leaf => !waits(leaf) && textOf(local, leaf) !== textOf(server, leaf))
    if (isAsBefore(local, base, said)) merged.pull.push(...differing)
    else if (!isAsBefore(server, base, said)) listIn(conflicts, array).push(...differing)
    else for (const leaf of differing) merged[textOf(local, leaf) === undefined ? 'deleted' : 'push'].push(leaf)
  }
  for (const [key, leaves] of conflicts)
    if (leaves.length > 0) merged.conflicts.push(conflictOf(merged, key, leaves, base))
  return merged
}

const isAsBefore = (bundle: Bundle, base: Base, leaves: readonly LeafName[]) =>
  leaves.every(leaf => base(leaf) === (textOf(bundle, leaf) ?? null))

function conflictOf({ local, server }: Merge, key: string, leaves: LeafName[], base: Base): Conflict {
  const known = leaves.every(leaf => base(leaf) !== undefined)
  return {
    key,
    leaves,
    base: known ? textsOf(leaves, leaf => base(leaf) ?? undefined) : undefined,
    local: textsOf(leaves, leaf => textOf(local, leaf)),
    server: textsOf(leaves, leaf => textOf(server, leaf)),
  }
}

/** The arrays that would have a hole after the pull, the push or the prune. */
function brokenArrays(merged: Merge): string[] {
  const { local, server } = merged
  if (local.tree.plain && server.tree.plain) return []
  const { pull, push, deleted } = resolved(merged, () => 'local')
  const holes = [
    withLeaves(local, server, pull),
    withLeaves(server, local, push),
    withLeaves(server, local, [...push, ...deleted]),
  ].flatMap(({ tree }) => gapsOf(tree))
  const shrinking = merged.conflicts
    .flatMap(({ leaves }) => leaves)
    .filter(leaf => textOf(local, leaf) === undefined || textOf(server, leaf) === undefined)
    .flatMap(leaf => outermostArray((local.tree.get(leaf.key) ?? server.tree.get(leaf.key))!) ?? [])
  return [...holes.map(hole => hole.slice(0, hole.lastIndexOf('.'))), ...shrinking]
}

/** Empty items of arrays that are pushed. They hold the indices of the other items. */
function itemsBeside({ local, push }: Merge, waiting: readonly LeafName[]): LeafName[] {
  if (waiting.length === 0 || local.tree.plain) return []
  const arrayWith = ({ key }: LeafName) => outermostArray(local.tree.get(key)!)
  const arrays = new Set(push.map(arrayWith))
  arrays.delete(undefined)
  return waiting.filter(leaf => arrays.has(arrayWith(leaf)))
}

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}
