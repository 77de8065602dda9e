/** The tree of places: a file's objects and arrays, and the keys in them. */
import { type Form, type Forms, KINDS, type LeafName, type MessageParts, peel } from './message.ts'

/** One step of a place: a member's name, or an item's index. */
export type PlaceSegment = string | number

/** An object or array of the file. Array items are members named by index. */
export class JsonNode {
  readonly parent: JsonNode | undefined
  readonly name: string
  readonly list: boolean
  /** Objects and arrays around it. */
  readonly depth: number
  /** The joined place and a dot, nothing at the top: all leaves below begin with it. */
  readonly prefix: string
  /** Whether a key right below may be at its default place: no name above is empty, dotted or an index. */
  readonly plain: boolean
  /** By the last segment of their place. */
  readonly keys = new Map<string, KeyEntry>()
  /** None of them is empty. */
  readonly nodes = new Map<string, JsonNode>()

  constructor(parent?: JsonNode, name = '', list = false) {
    this.parent = parent
    this.name = name
    this.list = list
    this.depth = parent ? parent.depth + 1 : 0
    this.prefix = parent ? `${parent.prefix}${name}.` : ''
    this.plain = !list && (parent === undefined || (parent.plain && isPlain(name)))
  }

  /** An array's number of items. */
  get length(): number {
    return this.keys.size + this.nodes.size
  }

  /** Bytes of its own lines in the canonical file, at least: name, brackets and margins. */
  get lines(): number {
    return 4 * this.depth + (this.parent?.list ? 0 : this.name.length) + 4
  }

  get isEmpty(): boolean {
    return this.keys.size === 0 && this.nodes.size === 0
  }

  /**
   * The names here in canonical order: items by index, members by code unit. A node may share its name with a key of
   * forms alone; the node comes first, as a text would.
   */
  names(): string[] {
    if (this.list) return Array.from({ length: this.length }, (_, index) => String(index))
    const names = Array.from(this.keys.keys())
    for (const name of this.nodes.keys()) if (!this.keys.has(name)) names.push(name)
    return isSorted(names) ? names : names.sort()
  }

  /** Moves the keys and branches of another node here, or copies them. */
  fill(from: JsonNode, copies = false): void {
    for (const entry of from.keys.values()) {
      if (!copies) entry.home = this
      this.keys.set(entry.base, copies ? entry.twin(this, entry.base) : entry)
    }
    for (const node of from.nodes.values()) {
      const below = new JsonNode(this, node.name, node.list)
      this.nodes.set(node.name, below)
      below.fill(node, copies)
    }
  }

  /** Adds every key here and below to a list. */
  collect(entries: KeyEntry[]): KeyEntry[] {
    for (const entry of this.keys.values()) entries.push(entry)
    for (const node of this.nodes.values()) node.collect(entries)
    return entries
  }

  /** As {@link collect}, in the file's order. */
  inOrder(entries: KeyEntry[]): KeyEntry[] {
    for (const name of this.names()) {
      this.nodes.get(name)?.inOrder(entries)
      const entry = this.keys.get(name)
      if (entry) entries.push(entry)
    }
    return entries
  }

  /** The object or array at a place below; undefined where there is none. */
  at(place: readonly PlaceSegment[]): JsonNode | undefined {
    let node: JsonNode | undefined = this
    for (const segment of place) node = node?.nodes.get(String(segment))
    return node
  }

  /** The path from the top of the file. */
  place(): PlaceSegment[] {
    return this.parent ? [...this.parent.place(), this.parent.list ? Number(this.name) : this.name] : []
  }

  /** Whether a text or form is the member of this name. */
  holdsLeaf(name: string): boolean {
    if (this.keys.get(name)?.text !== undefined) return true
    if (this.list || !name.includes('_')) return false
    const leaf = peel(this.prefix + name)
    return leaf.kind !== 'text' && this.keys.get(leaf.key.slice(this.prefix.length))?.value(leaf) !== undefined
  }
}

/** A key, its content and its place. */
export class KeyEntry implements MessageParts {
  home: JsonNode
  /** The last segment of its place. Its leaves are `base`, `base_one`, `base_ordinal_one`… in `home`. */
  base: string
  text: string | undefined
  cardinal: Forms | undefined
  ordinal: Forms | undefined

  constructor(home: JsonNode, base: string) {
    this.home = home
    this.base = base
    this.text = undefined
    this.cardinal = undefined
    this.ordinal = undefined
  }

  /** A key with the same message elsewhere. */
  twin(home: JsonNode, base: string): KeyEntry {
    const twin = new KeyEntry(home, base)
    twin.text = this.text
    if (this.cardinal) twin.cardinal = { ...this.cardinal }
    if (this.ordinal) twin.ordinal = { ...this.ordinal }
    return twin
  }

  /** The key: its place joined by dots. */
  get key(): string {
    return this.home.prefix + this.base
  }

  /** The value of one leaf. */
  value(leaf: LeafName): string | undefined {
    return leaf.kind === 'text' ? this.text : this[leaf.kind]?.[leaf.form]
  }

  /** Every leaf with its value. */
  leaves(): [LeafName, string][] {
    const key = this.key
    const leaves: [LeafName, string][] = []
    if (this.text !== undefined) leaves.push([{ key, kind: 'text' }, this.text])
    if (!this.hasForms) return leaves
    for (const kind of KINDS) {
      for (const [form, value] of Object.entries(this[kind] ?? {}))
        leaves.push([{ key, kind, form: form as Form }, value])
    }
    return leaves
  }

  get hasForms(): boolean {
    return this.cardinal !== undefined || this.ordinal !== undefined
  }

  /** Whether splitting the key at its dots gives its place. */
  get isPlain(): boolean {
    return this.home.plain && isPlain(this.base)
  }

  /** The path from the top of the file. */
  place(): PlaceSegment[] {
    return [...this.home.place(), this.home.list ? Number(this.base) : this.base]
  }
}

/** The key of the outermost array that an entry is in; undefined outside of arrays. */
export function outermostArray({ home }: KeyEntry): string | undefined {
  let found: string | undefined
  for (let node: JsonNode | undefined = home; node; node = node.parent) if (node.list) found = node.prefix.slice(0, -1)
  return found
}

/** Whether a segment can come from splitting a name at its dots. */
export const isPlain = (segment: string): boolean => segment !== '' && !segment.includes('.')

function isSorted(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at++) if (names[at - 1]! > names[at]!) return false
  return true
}
