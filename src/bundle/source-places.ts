/** Where the source language's file has its keys: in other languages, new keys stand in the same places. */
import type { JsonNode, KeyEntry, PlaceSegment } from './json-node.ts'
import { isIndex, type PlaceTree, placeByName } from './place.ts'

/** The places of one source file. */
export class SourcePlaces {
  readonly #tree: PlaceTree
  /** The first object or array of each {@link JsonNode.prefix}; built on first use. */
  #nodes: Map<string, JsonNode> | undefined

  /** @param tree of the nested format */
  constructor(tree: PlaceTree) {
    this.#tree = tree
  }

  /** Whether splitting each key at its dots gives its place. */
  get isPlain(): boolean {
    return this.#tree.plain
  }

  /**
   * The place of a key. A key that the source lacks goes into the array, or below the name with a dot, that its name
   * begins with; of any other one the source says nothing.
   */
  placeOf(key: string): PlaceSegment[] | undefined {
    const entry = this.#tree.get(key)
    if (entry) return entry.place()
    const home = this.#nodeAbove(key)
    if (home.plain) return undefined
    const [first, ...others] = placeByName(key.slice(home.prefix.length))
    return [...home.place(), home.list && isIndex(first!) ? Number(first) : first!, ...others]
  }

  /** Whether the source has an object, and no array, at a place. */
  hasObjectAt(place: readonly string[]): boolean {
    return this.#tree.root.at(place)?.list === false
  }

  /** The number of items of an array at a place; 0 where the source has none. */
  lengthOf(place: readonly PlaceSegment[]): number {
    const node = this.#tree.root.at(place)
    return node?.list ? node.length : 0
  }

  /** The keys in an item of an array, in the file's order; none where the source has no such item. */
  entriesOfItem(array: readonly PlaceSegment[], index: number): KeyEntry[] {
    const node = this.#tree.root.at(array)
    if (!node?.list) return []
    const text = node.keys.get(String(index))
    return text ? [text] : (node.nodes.get(String(index))?.inOrder([]) ?? [])
  }

  /** The deepest object or array with a name that the key's begins with. */
  #nodeAbove(key: string): JsonNode {
    if (!this.#nodes) registerNodes(this.#tree.root, (this.#nodes = new Map()))
    for (let dot = key.lastIndexOf('.'); dot !== -1; dot = dot === 0 ? -1 : key.lastIndexOf('.', dot - 1)) {
      const node = this.#nodes.get(key.slice(0, dot + 1))
      if (node) return node
    }
    return this.#tree.root
  }
}

function registerNodes(node: JsonNode, nodes: Map<string, JsonNode>): void {
  if (!nodes.has(node.prefix)) nodes.set(node.prefix, node)
  for (const below of node.nodes.values()) registerNodes(below, nodes)
}
