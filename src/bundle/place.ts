/** The tree of places: where each key is in the file, and where new keys go. */
import { Failure } from './errors.ts'
import { fileTooLarge } from './file-size.ts'
import { isPlain, JsonNode, KeyEntry, type PlaceSegment } from './json-node.ts'
import { type Form, type Forms, type LeafName, peel, suffix } from './message.ts'
import { type Arrived, KeySearch } from './search.ts'

/** A free member of an object. */
interface Spot {
  home: JsonNode
  base: string
}

/** What JSON.stringify escapes, and whole surrogate pairs. */
export const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/

/** Whether a segment may be an array item's. */
export const isIndex = (segment: string): boolean => /^(?:0|[1-9]\d{0,8})$/.test(segment)

/**
 * A key's place by name: split at its dots; or literal, at the top, when a segment would be empty or begin or end with
 * white space (`Loading...`, `Hello. World`).
 */
export function placeByName(key: string): string[] {
  const odd = /^[\s.]|[\s.]$|\.\.|\s\.|\.\s/.test(key)
  return odd ? [key] : key.split('.')
}

/** A bundle's keys in their places. It changes only while being built or merged into. */
export class PlaceTree {
  /** The flat format has every key at the top. */
  readonly flat: boolean
  readonly root = new JsonNode()
  /** Whether a name or text may need JSON escapes; else none is checked at writing. */
  escapes = false
  #size = 0
  #plain = true
  /** The keys by name, in trees that are not plain; built on first use. */
  #index: Map<string, KeyEntry> | undefined
  readonly #search = new KeySearch()
  #left: number

  /** @param most bytes of the lines of objects and arrays: keys that nest unfold a small body into much memory */
  constructor(flat: boolean, most = Number.POSITIVE_INFINITY) {
    this.flat = flat
    this.#left = most
  }

  get size(): number {
    return this.#size
  }

  /** Whether every key was at its default place so far. */
  get plain(): boolean {
    return this.#plain
  }

  get(key: string): KeyEntry | undefined {
    if (this.flat) return this.root.keys.get(key)
    return this.#plain ? this.#walkTo(key) : this.index().get(key)
  }

  #walkTo(key: string): KeyEntry | undefined {
    let node: JsonNode | undefined = this.root
    let from = 0
    for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', from)) {
      node = node.nodes.get(key.slice(from, dot))
      if (!node) return undefined
      from = dot + 1
    }
    return node.keys.get(from === 0 ? key : key.slice(from))
  }

  /** The keys by name. @param onClash called for two entries of one key; by default none are expected */
  index(onClash?: (first: KeyEntry, second: KeyEntry) => void): Map<string, KeyEntry> {
    if (this.#index) return this.#index
    const index = new Map<string, KeyEntry>()
    for (const entry of this.entries()) {
      const key = entry.key
      const other = index.get(key)
      if (other) onClash?.(other, entry)
      index.set(key, entry)
    }
    this.#index = index
    return index
  }

  /** Whether there is a leaf of this name. */
  has(name: string): boolean {
    const leaf = peel(name)
    return this.get(leaf.key)?.value(leaf) !== undefined
  }

  entries(): KeyEntry[] {
    return this.root.collect([])
  }

  copy(): PlaceTree {
    const copy = new PlaceTree(this.flat)
    copy.escapes = this.escapes
    copy.#size = this.#size
    copy.#plain = this.#plain
    copy.root.fill(this.root, true)
    return copy
  }

  /** Counts a new object or array. @throws Failure `too-large` when the file would have too many bytes */
  nest(node: JsonNode): JsonNode {
    this.#left -= node.lines
    if (this.#left < 0) throw fileTooLarge()
    return node
  }

  /** Puts a new entry where it says, without checking its surroundings. */
  attach(entry: KeyEntry): void {
    this.#size++
    this.#stand(entry)
  }

  #stand(entry: KeyEntry): void {
    entry.home.keys.set(entry.base, entry)
    if (this.#plain && !entry.isPlain) this.#plain = false
    this.#index?.set(entry.key, entry)
  }

  /**
   * Adds an entry for a new key, still without a leaf.
   * @param place where it should be; by default where its name says
   * @param plural whether it will hold forms, which array items cannot
   * @param arrived what came in the same body
   */
  add(key: string, place: readonly PlaceSegment[] = placeByName(key), plural = false, arrived?: Arrived): KeyEntry {
    this.escapes ||= ESCAPED.test(key)
    const spot = this.flat ? { home: this.root, base: key } : this.#spot(key, place, plural, arrived)
    const entry = new KeyEntry(spot.home, spot.base)
    this.attach(entry)
    if (!arrived) this.#search.note(spot.home, spot.base)
    return entry
  }

  /** Sets a key's text or form. @throws Failure `unfit` for a form of an array item: arrays have no such member */
  set(entry: KeyEntry, leaf: LeafName, value: string): void {
    this.escapes ||= ESCAPED.test(value)
    const isNew = entry.value(leaf) === undefined
    if (leaf.kind === 'text') {
      entry.text = value
    } else {
      if (entry.home.list) {
        throw new Failure('unfit', `${JSON.stringify(entry.key)} is an item of an array and cannot have plural forms.`)
      }
      entry[leaf.kind] = { ...entry[leaf.kind], [leaf.form]: value }
    }
    if (isNew && !this.flat) this.#clear(entry, leaf.kind === 'text' ? '' : suffix(leaf.kind, leaf.form))
  }

  /**
   * Removes a leaf, then a key, objects and arrays left empty. Neighbours stay: see `refuseGaps` for arrays.
   * @param keepEmpty a key without leaves stays in its place; it needs a leaf before the next read
   */
  remove(leaf: LeafName, keepEmpty = false): void {
    const entry = this.get(leaf.key)
    if (entry?.value(leaf) === undefined) return
    if (leaf.kind === 'text') entry.text = undefined
    else entry[leaf.kind] = withoutForm(entry[leaf.kind]!, leaf.form)
    if (keepEmpty || entry.text !== undefined || entry.hasForms) return
    entry.home.keys.delete(entry.base)
    this.#index?.delete(leaf.key)
    this.#size--
    dropEmpty(entry.home)
  }

  /** Turns an object of items into their array; the keys stay the same. */
  becomeList(node: JsonNode): void {
    const list = new JsonNode(node.parent, node.name, true)
    list.fill(node)
    node.parent!.nodes.set(node.name, list)
    this.#plain = false
  }

  /** Where a new key should be, else beside the leaf in its way. */
  #spot(key: string, meant: readonly PlaceSegment[], plural: boolean, arrived?: Arrived): Spot {
    if (!this.#plain && isDefault(meant)) {
      const beside = this.#besideStoredPrefix(key, arrived)
      if (beside) return beside
    }
    let place = meant
    let home = this.root
    for (let at = 0; at < place.length; at++) {
      const name = String(place[at])
      const isLast = at === place.length - 1
      if (home.list && !(isIndex(name) && Number(name) <= home.length && !(isLast && plural))) {
        return { home: this.root, base: key }
      }
      // At the top i18next looks up a whole name first.
      if (isLast && (home === this.root || !name.includes('.'))) return { home, base: name }
      const rest = place.slice(at + 1).join('.')
      const isLeaf = !isLast && home.holdsLeaf(name)
      const way = isLeaf && name.includes('.') ? undefined : this.#search.way(home, place, at, arrived)
      if (way) {
        place = way.place
        home = way.next
        continue
      }
      if (isLast) return { home, base: name }
      if (isLeaf) return beside(home, name, rest)
      const whole = withoutHole(place, at)
      if (whole !== place) return this.#spot(key, whole, plural, arrived)
      if (!this.#plain && this.#search.wouldHide(home, name, arrived)) return beside(home, name, rest)
      const made = this.nest(new JsonNode(home, name, typeof place[at + 1] === 'number'))
      home.nodes.set(name, made)
      arrived?.nodes.add(made)
      home = made
    }
    throw new Error('a place has at least one segment')
  }

  /**
   * Protects a leaf at a place of its own if its name is a prefix of the key. i18next walks nested objects first, so
   * nesting the key elsewhere would hide that leaf. The shortest prefix decides, in any order of writes.
   */
  #besideStoredPrefix(key: string, arrived?: Arrived): Spot | undefined {
    for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', dot + 1)) {
      const name = key.slice(0, dot)
      const leaf = peel(name)
      const entry = this.get(leaf.key)
      if (entry?.value(leaf) === undefined || entry.isPlain || arrived?.leaves.has(name)) continue
      return beside(entry.home, entry.base + name.slice(leaf.key.length), key.slice(dot + 1))
    }
    return undefined
  }

  /** Moves keys beside a new leaf, as literal-dot keys, if they are in its way or hide it from i18next. */
  #clear(entry: KeyEntry, ending: string): void {
    const member = entry.base + ending
    const below = entry.home.nodes.get(member)
    if (!below && entry.isPlain) return
    const name = entry.home.prefix + member
    if (below) {
      entry.home.nodes.delete(member)
      for (const lower of below.collect([])) this.#moveBeside(lower, entry.home, member, name)
    }
    if (entry.isPlain) return
    const hiding = this.#branchByName(name)
    if (!hiding) return
    for (const lower of hiding.collect([]).filter(lower => lower.isPlain)) {
      const left = lower.home
      left.keys.delete(lower.base)
      dropEmpty(left)
      this.#moveBeside(lower, entry.home, member, name)
    }
  }

  #moveBeside(entry: KeyEntry, home: JsonNode, member: string, name: string): void {
    Object.assign(entry, beside(home, member, entry.key.slice(name.length + 1)))
    this.#stand(entry)
    for (const [leaf] of entry.leaves()) this.#clear(entry, leaf.kind === 'text' ? '' : suffix(leaf.kind, leaf.form))
  }

  /** The object that i18next reaches by a name split at its dots. */
  #branchByName(name: string): JsonNode | undefined {
    let node: JsonNode | undefined = this.root
    for (const segment of name.split('.')) {
      node = node.nodes.get(segment)
      if (!node?.plain) return undefined
    }
    return node
  }
}

const isDefault = (place: readonly PlaceSegment[]): boolean =>
  place.every(segment => typeof segment === 'string' && isPlain(segment))

/** The literal-dot member beside a member; for an array item at the top, where i18next looks up whole names first. */
function beside(home: JsonNode, member: string, rest: string): Spot {
  const base = `${member}.${rest}`
  if (!home.list) return { home, base }
  let top = home
  while (top.parent) top = top.parent
  return { home: top, base: home.prefix + base }
}

/** A place below a free spot. An array without its first items becomes one literal-dot segment with all below. */
function withoutHole(place: readonly PlaceSegment[], from: number): readonly PlaceSegment[] {
  const hole = place.findIndex((segment, at) => at > from && typeof segment === 'number' && segment !== 0)
  if (hole === -1) return place
  let array = hole - 1
  while (typeof place[array] === 'number') array--
  return [...place.slice(0, array), place.slice(array).join('.')]
}

function withoutForm(forms: Forms, form: Form): Forms | undefined {
  const { [form]: _, ...others } = forms
  return Object.keys(others).length > 0 ? others : undefined
}

/** Removes an empty object, and parents that become empty. */
function dropEmpty(node: JsonNode): void {
  for (let at = node; at.parent && at.isEmpty; at = at.parent) at.parent.nodes.delete(at.name)
}
