/**
 * Merges a bundle of this machine with the server's, over what both had last: key by key, of a plural form by form.
 * An empty text waits for its translation: locally it says nothing, on the server it hides nothing.
 */
import { outermostArray } from '../../bundle/json-node.ts'
import { join, type LeafName } from '../../bundle/message.ts'
import type { PlaceTree } from '../../bundle/place.ts'
import { gapsOf, treeWithout } from '../../bundle/remove.ts'
import { Bundle } from '../../bundle/resource.ts'
import { type TakenBack, treeTakenBack } from '../../bundle/restore.ts'

/** What both sides had last, by a leaf's name: null where there was none, undefined where that is not known. */
export type Base = (leaf: LeafName) => string | null | undefined

export type Side = 'local' | 'server'

/** Texts by the names of their leaves: `{ "nav.home": "Home" }`, `{ "item_one": …, "item_other": … }`. */
export type Texts = Record<string, string>

/** The texts of the leaves that have one. */
export function textsOf(leaves: readonly LeafName[], find: (leaf: LeafName) => string | undefined): Texts {
  const lines: [string, string][] = []
  for (const leaf of leaves) {
    const text = find(leaf)
    if (text !== undefined) lines.push([join(leaf), text])
  }
  return lines.length === 0 ? {} : Object.fromEntries(lines)
}

/** A key that both sides changed, each in its own way. */
export interface Conflict {
  /** Of an array that both made longer or shorter, the array. */
  key: string
  leaves: LeafName[]
  /** Undefined where it is not known what both had last. */
  base: Texts | undefined
  local: Texts
  server: Texts
}

/** What differs, in leaves. */
export interface Merge {
  local: Bundle
  server: Bundle
  /** What the local file takes, or loses because the server has deleted it. */
  pull: LeafName[]
  /** What the server gets. */
  push: LeafName[]
  /** What was deleted here, and stands on the server as it was. */
  deleted: LeafName[]
  conflicts: Conflict[]
}

type Fate = 'same' | 'pull' | 'push' | 'deleted' | 'conflict'

/**
 * What becomes of one leaf; undefined is its absence, of `base` that nothing is known.
 * @param isSource whether an empty text is a key that translators have to know of
 */
export function fateOf(
  base: string | null | undefined,
  local: string | undefined,
  server: string | undefined,
  isSource = false,
): Fate {
  if (local === server) return 'same'
  if (isSource && local === '' && server === undefined && typeof base !== 'string') return 'push'
  // It waits here for a translation, and there is nothing that the server could say of it.
  if (local === '') return server !== undefined || typeof base === 'string' ? 'pull' : 'same'
  if (base === undefined) {
    if (local === undefined) return 'pull'
    return server === undefined || server === '' ? 'push' : 'conflict'
  }
  const before = base ?? undefined
  if (local === before) return 'pull'
  const isServers = server === before || server === ''
  // What was edited there comes back: no text is lost.
  if (local === undefined) return isServers ? 'deleted' : 'pull'
  return isServers ? 'push' : 'conflict'
}

/** What a merge goes by beside the three sides. */
interface MergeRules {
  /** Whether nobody can tell where a text of the local side came from. */
  isDoubtful?: (leaf: LeafName) => boolean
  /** Whether both are of the source language, in which an empty text is sent: its key is new. */
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

/** All that the server has comes, where there is nothing yet. */
export function whole(server: Bundle): Merge {
  const pull = server.tree.entries().flatMap(entry => entry.leaves().map(([leaf]) => leaf))
  return { local: Bundle.empty(server.format), server, pull, push: [], deleted: [], conflicts: [] }
}

/** The same without conflicts: a key stays as it is here, or becomes the server's. */
export function resolved(merged: Merge, choose: (key: string) => Side): Merge {
  const made = {
    ...merged,
    pull: [...merged.pull],
    push: [...merged.push],
    deleted: [...merged.deleted],
    conflicts: [],
  }
  for (const { key, leaves } of merged.conflicts) {
    const isLocal = choose(key) === 'local'
    for (const leaf of leaves) {
      if (!isLocal) made.pull.push(leaf)
      else if (textOf(merged.local, leaf) === undefined) made.deleted.push(leaf)
      else made.push.push(leaf)
    }
  }
  return made
}

/** A bundle with these leaves as another has them, or without those that it lacks. */
export function withLeaves(bundle: Bundle, from: Bundle, leaves: readonly LeafName[]): Bundle {
  if (leaves.length === 0) return bundle
  const keys = new Map<string, TakenBack>()
  for (const leaf of leaves) {
    const taken = keys.get(leaf.key) ?? { key: leaf.key, set: [], drop: [] }
    keys.set(leaf.key, taken)
    const value = textOf(from, leaf)
    if (value === undefined) taken.drop.push(leaf)
    else taken.set.push([leaf, value])
  }
  const tree = treeTakenBack(bundle.tree, from.tree, inOrder(keys, from))
  return new Bundle(bundle.format, withoutHoles(tree, from))
}

/** An array with a hole, whose other items the other side has as members of an object, stands as it stands there. */
function withoutHoles(tree: PlaceTree, from: Bundle): PlaceTree {
  return gapsOf(tree).reduce((mended, hole) => {
    const array = hole.slice(0, hole.lastIndexOf('.') + 1)
    const items = mended.entries().filter(({ key }) => key.startsWith(array))
    if (!items.every(({ key }) => from.tree.get(key))) return mended
    const set = new Map(items.map(entry => [entry.key, { key: entry.key, set: entry.leaves(), drop: [] }]))
    const leaves = items.flatMap(entry => entry.leaves().map(([leaf]) => leaf))
    return treeTakenBack(treeWithout(mended, leaves), from.tree, inOrder(set, from))
  }, tree)
}

/** The text of a leaf. */
export const textOf = ({ tree }: Bundle, leaf: LeafName): string | undefined => tree.get(leaf.key)?.value(leaf)

/** Arrays grow from their beginning. */
function inOrder(keys: ReadonlyMap<string, TakenBack>, from: Bundle): TakenBack[] {
  if (from.tree.plain) return [...keys.values()]
  const ordered = new Set<TakenBack>()
  for (const { key } of from.rows()) {
    const taken = keys.get(key)
    if (taken) ordered.add(taken)
  }
  for (const taken of keys.values()) ordered.add(taken)
  return [...ordered]
}

/** @param arrays whose items stand or fall together */
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
  for (const leaf of leavesOf(local, server)) {
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
    // What waits for the server's sake goes with the others: it holds the place of those behind it.
    const differing = leaves.filter(leaf => !waits(leaf) && textOf(local, leaf) !== textOf(server, leaf))
    if (isAsBefore(local, base, said)) merged.pull.push(...differing)
    else if (!isAsBefore(server, base, said)) listIn(conflicts, array).push(...differing)
    else for (const leaf of differing) merged[textOf(local, leaf) === undefined ? 'deleted' : 'push'].push(leaf)
  }
  for (const [key, leaves] of conflicts) if (leaves.length > 0) merged.conflicts.push(tell(merged, key, leaves, base))
  return merged
}

/** Each leaf of either. */
export function* leavesOf(local: Bundle, server: Bundle): Generator<LeafName> {
  for (const entry of server.tree.entries()) for (const [leaf] of entry.leaves()) yield leaf
  for (const entry of local.tree.entries()) {
    for (const [leaf] of entry.leaves()) if (textOf(server, leaf) === undefined) yield leaf
  }
}

const isAsBefore = (bundle: Bundle, base: Base, leaves: readonly LeafName[]) =>
  leaves.every(leaf => base(leaf) === (textOf(bundle, leaf) ?? null))

function tell({ local, server }: Merge, key: string, leaves: LeafName[], base: Base): Conflict {
  const known = leaves.every(leaf => base(leaf) !== undefined)
  return {
    key,
    leaves,
    base: known ? textsOf(leaves, leaf => base(leaf) ?? undefined) : undefined,
    local: textsOf(leaves, leaf => textOf(local, leaf)),
    server: textsOf(leaves, leaf => textOf(server, leaf)),
  }
}

/** The arrays that could lack an item before their last, whichever part of the merge is carried out. */
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

/** Of what waits for a translation here: the items of arrays that are pushed, which hold the places of others. */
function itemsBeside({ local, push }: Merge, waiting: readonly LeafName[]): LeafName[] {
  if (waiting.length === 0 || local.tree.plain) return []
  const arrayOf = ({ key }: LeafName) => outermostArray(local.tree.get(key)!)
  const arrays = new Set(push.map(arrayOf))
  arrays.delete(undefined)
  return waiting.filter(leaf => arrays.has(arrayOf(leaf)))
}

/** The outermost array that a key is in. */
function arrayOf(key: string, arrays: ReadonlySet<string>): string | undefined {
  for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', dot + 1)) {
    if (arrays.has(key.slice(0, dot))) return key.slice(0, dot)
  }
  return undefined
}

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}
