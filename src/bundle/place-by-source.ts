/** Puts new keys where the source language's file has them, and adds the array items that this needs. */
import type { JsonNode, KeyEntry, PlaceSegment } from './json-node.ts'
import { isIndex, type PlaceTree } from './place.ts'
import type { SourcePlaces } from './source-places.ts'

/**
 * The place of a new key by its source, undefined where that has none. Items of its array before it, which the tree
 * lacks, are registered with empty texts: an array cannot begin in its middle.
 * @param plural whether the key will hold forms, which array items cannot
 */
export function placeBySource(
  tree: PlaceTree,
  key: string,
  source: SourcePlaces | undefined,
  plural = false,
): PlaceSegment[] | undefined {
  const place = tree.flat ? undefined : source?.placeOf(key)
  if (place === undefined) return undefined
  if (plural && typeof place.at(-1) === 'number') return [key]
  makeRoom(tree, key, place, source!)
  return place
}

function makeRoom(tree: PlaceTree, key: string, place: readonly PlaceSegment[], source: SourcePlaces): void {
  let home: JsonNode | undefined = tree.root
  for (const [at, segment] of place.entries()) {
    if (typeof segment === 'number') {
      const array = place.slice(0, at)
      if (home && !home.list) {
        const missing = itemsToAdd(tree, home, array, source)
        if (!missing) return
        registerItems(tree, key, array, missing, source)
        tree.becomeList(home)
        home = tree.root.at(array)
      }
      // An index can be any number: only the source says how long an array may become.
      if (segment <= source.lengthOf(array)) {
        const from = home?.length ?? 0
        const missing = Array.from({ length: Math.max(0, segment - from) }, (_, at) => from + at)
        // An array has no holes: all items before the key's are filled in, or none.
        if (missing.every(item => isFillable(tree, array, item, source)))
          registerItems(tree, key, array, missing, source)
        home = tree.root.at(array)
      }
    } else if (at < place.length - 1 && home?.holdsLeaf(segment)) {
      return
    }
    home = home?.nodes.get(String(segment))
  }
}

/** For an object that cannot become an array: whether the reason still holds. */
const obstacles = new WeakMap<JsonNode, () => boolean>()

/**
 * The missing items that turn an object into an array; undefined if it cannot become one. A push asks once per new key,
 * so this remembers one reason for a refusal. Among missing items the reason is random: in any order of new keys, few
 * of them remove it.
 */
function itemsToAdd(
  tree: PlaceTree,
  home: JsonNode,
  array: readonly PlaceSegment[],
  source: SourcePlaces,
): number[] | undefined {
  if (obstacles.get(home)?.()) return undefined
  const names = namesIn(home)
  if (names.length === 0) return undefined
  const other = names.find(name => !isItem(home, name))
  if (other !== undefined) {
    obstacles.set(home, () => (home.keys.has(other) || home.nodes.has(other)) && !isItem(home, other))
    return undefined
  }
  const missing = itemsMissing(names.map(Number), source.lengthOf(array))
  const lacking = missing.filter(item => !isFillable(tree, array, item, source))
  if (lacking.length === 0) return missing
  const item = lacking[Math.floor(Math.random() * lacking.length)]!
  obstacles.set(home, () => !isItem(home, String(item)) && !isFillable(tree, array, item, source))
  return undefined
}

/** Whether an item can be registered: the source has texts in it, and none of its keys is in the tree elsewhere. */
function isFillable(tree: PlaceTree, array: readonly PlaceSegment[], item: number, source: SourcePlaces): boolean {
  const entries = source.entriesOfItem(array, item)
  return entries.length > 0 && entries.every(({ key }) => tree.get(key) === undefined)
}

/** Registers items with empty texts, in order. The caller adds `key`. */
function registerItems(
  tree: PlaceTree,
  key: string,
  array: readonly PlaceSegment[],
  items: readonly number[],
  source: SourcePlaces,
): void {
  for (const from of items.flatMap(item => source.entriesOfItem(array, item))) {
    if (from.key === key) continue
    const entry = tree.add(from.key, from.place(), from.hasForms)
    for (const [leaf] of from.leaves()) tree.set(entry, leaf, '')
  }
}

/** Whether an object has members of an array alone: texts, objects and arrays by index. */
const holdsItems = (node: JsonNode): boolean => {
  const names = namesIn(node)
  return names.length > 0 && names.every(name => isItem(node, name))
}

/** Whether an object has a member by this name that an array can have. */
function isItem(node: JsonNode, name: string): boolean {
  const entry = node.keys.get(name)
  return isIndex(name) && (entry ? !entry.hasForms : node.nodes.has(name))
}

const namesIn = (node: JsonNode): string[] => [...node.keys.keys(), ...node.nodes.keys()]
const itemsOf = (node: JsonNode): number[] => namesIn(node).map(Number)

/** The largest of any number of items. `Math.max` accepts some 100,000 arguments. */
const largest = (items: Iterable<number>): number => {
  let found = -1
  for (const item of items) if (item > found) found = item
  return found
}

/** The items missing before the last one. An index can be any number: of those beyond `length`, some of them. */
function itemsMissing(items: readonly number[], length: number): number[] {
  const present = new Set(items)
  const end = Math.min(largest(present), length + 2 * present.size + 1)
  return Array.from({ length: end }, (_, item) => item).filter(item => !present.has(item))
}

/**
 * The objects of a tree that become arrays, as the body has arrays in their places. Together with the body's items they
 * must have all items. The reverse never happens: an array stays an array if the body has an object in its place.
 */
export function listsToAdopt(tree: PlaceTree, body: PlaceTree, source: SourcePlaces | undefined): string[][] {
  const lists: string[][] = []
  // Plain trees have no arrays.
  if (!body.plain && !tree.flat) visit(body.root, tree.root, [])
  return lists

  function visit(shown: JsonNode, present: JsonNode, above: string[]): void {
    for (const below of shown.nodes.values()) {
      const there = present.nodes.get(below.name)
      if (!there) continue
      const place = [...above, below.name]
      const fits = below.list && !there.list && holdsItems(there) && isWhole([...itemsOf(there), ...itemsOf(below)])
      if (fits && !source?.hasObjectAt(place)) lists.push(place)
      visit(below, there, place)
    }
  }
}

/** Whether indexes are those of a whole array, in any order. */
function isWhole(items: readonly number[]): boolean {
  const different = new Set(items)
  return largest(different) === different.size - 1
}

/**
 * A tree with its new keys where the source has them. Returns the given tree if all are there already.
 * @param isNew which keys may move
 */
export function withPlaces(tree: PlaceTree, source: SourcePlaces, isNew: (entry: KeyEntry) => boolean): PlaceTree {
  if (tree.flat || (tree.plain && source.isPlain)) return tree
  const misplaced = tree.entries().filter(entry => {
    const place = isNew(entry) ? source.placeOf(entry.key) : undefined
    return place !== undefined && JSON.stringify(place) !== JSON.stringify(entry.place())
  })
  if (misplaced.length === 0) return tree
  const moved = arranged(misplaced).map(entry => ({ key: entry.key, hasForms: entry.hasForms, leaves: entry.leaves() }))
  const copy = tree.copy()
  for (const { leaves } of moved) for (const [leaf] of leaves) copy.remove(leaf)
  for (const { key, hasForms, leaves } of moved) {
    const entry = copy.get(key) ?? copy.add(key, placeBySource(copy, key, source, hasForms), hasForms)
    for (const [leaf, text] of leaves) copy.set(entry, leaf, text)
  }
  return copy
}

/** Keys in the order of placing, not of the body: array items in sequence, and a key before the keys below it. */
export function arranged(entries: KeyEntry[]): KeyEntry[] {
  const named = entries.map(entry => ({ segments: entry.key.split('.'), entry }))
  named.sort((a, b) => bySegments(a.segments, b.segments))
  return named.map(({ entry }) => entry)
}

function bySegments(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [one, other] = [a[at]!, b[at]!]
    if (one === other) continue
    if (isIndex(one) && isIndex(other)) return Number(one) - Number(other)
    return one < other ? -1 : 1
  }
  return a.length - b.length
}
