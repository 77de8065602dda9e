/** Where the source language's file has its keys: in other languages, new keys stand in the same places. */
import { isObject } from './body.ts'
import { isPlain, type PlaceSegment } from './json-node.ts'
import { mayBeForm, peel } from './message.ts'
import { isIndex, placeByName } from './place.ts'

/** An object or array of the source. */
interface Container {
  place: PlaceSegment[]
  isList: boolean
  /** Its turn in the walk. Where a key has several places, the container with the lowest order has it. */
  order: number
}

/** The containers with the same joined name: `{"a":{"b":…}}` and `{"a.b":…}`. */
interface SameName {
  first: Container
  /** The names of texts and of messages with forms in them, each with the first container that has it. */
  members: Map<string, Container>
}

/** By the joined segments; undefined for the whole source. */
type Index = Map<string | undefined, SameName>

/** The places of one source file. */
export class SourcePlaces {
  readonly #resource: object
  #plain: boolean | undefined
  #index: Index | undefined

  /** @param resource of the nested format */
  constructor(resource: object) {
    this.#resource = resource
  }

  /** Whether splitting each key at its dots gives its place. */
  get isPlain(): boolean {
    this.#plain ??= isPlainObject(this.#resource)
    return this.#plain
  }

  /**
   * The place of a key. A key that the source lacks goes into the array, or below the name with a dot, that its name
   * begins with; of any other one the source says nothing.
   */
  placeOf(key: string): PlaceSegment[] | undefined {
    this.#index ??= indexOf(this.#resource)
    let [home, above]: [Container | undefined, Container | undefined] = [undefined, undefined]
    let [name, below] = ['', '']
    for (const dot of dotsFromTheEnd(key)) {
      const same = this.#index.get(dot === -1 ? undefined : key.slice(0, dot))
      if (!same) continue
      const rest = key.slice(dot + 1)
      const holder = same.members.get(rest)
      if (holder && holder.order < (home?.order ?? Infinity)) [home, name] = [holder, rest]
      if (!above) [above, below] = [same.first, rest]
    }
    if (home) return [...home.place, home.isList ? Number(name) : name]
    const { place, isList } = above!
    if (!place.some(segment => typeof segment === 'number' || !isPlain(segment)) && !isList) return undefined
    const [first, ...others] = placeByName(below)
    return [...place, isList && isIndex(first!) ? Number(first) : first!, ...others]
  }

  /** Whether the source has an object, and no array, at a place. */
  hasObjectAt(place: readonly string[]): boolean {
    const value = this.#valueAt(place)
    return isContainer(value) && !Array.isArray(value)
  }

  /** The number of items of an array at a place; 0 where the source has none. */
  lengthOf(place: readonly PlaceSegment[]): number {
    const value = this.#valueAt(place)
    return Array.isArray(value) ? value.length : 0
  }

  /** The places of the texts and forms in an item of an array; none where the source has no such item. */
  leavesOfItem(array: readonly PlaceSegment[], index: number): PlaceSegment[][] {
    const value = this.#valueAt(array)
    const leaves: PlaceSegment[][] = []
    if (Array.isArray(value) && index < value.length) collect(value[index], [...array, index], leaves)
    return leaves
  }

  #valueAt(place: readonly PlaceSegment[]): unknown {
    let value: unknown = this.#resource
    for (const segment of place) value = isContainer(value) ? own(value, String(segment)) : undefined
    return value
  }
}

/** One walk over the source. A key may have more places than characters, so none is searched for by key. */
function indexOf(resource: object): Index {
  const index: Index = new Map()
  let order = 0
  visit(resource, undefined, [])
  return index

  function visit(node: object, name: string | undefined, place: PlaceSegment[]): void {
    const container: Container = { place, isList: Array.isArray(node), order: order++ }
    let same = index.get(name)
    if (!same) index.set(name, (same = { first: container, members: new Map() }))
    const register = (member: string) => same.members.has(member) || same.members.set(member, container)
    const prefix = name === undefined ? '' : `${name}.`
    const members = Object.entries(node)
    for (const [member, value] of members) {
      if (typeof value !== 'string') continue
      register(member)
      if (container.isList || !mayBeForm(member)) continue
      const suffix = prefix.length + member.length - peel(prefix + member).key.length
      register(member.slice(0, member.length - suffix))
    }
    const below = members.filter(([, value]) => isContainer(value))
    // Of `a` and `a.b`, the shorter has the key `a.b.c`.
    if (!container.isList) below.sort(([a], [b]) => a.length - b.length)
    for (const [member, value] of below)
      visit(value, prefix + member, [...place, container.isList ? Number(member) : member])
  }
}

/** The indexes of a key's dots, the last first, and -1 at the end. */
function* dotsFromTheEnd(key: string): Generator<number> {
  for (let dot = key.lastIndexOf('.'); dot !== -1; dot = dot === 0 ? -1 : key.lastIndexOf('.', dot - 1)) yield dot
  yield -1
}

function collect(value: unknown, place: PlaceSegment[], leaves: PlaceSegment[][]): void {
  if (typeof value === 'string') leaves.push(place)
  else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      const before = leaves.length
      collect(item, [...place, at], leaves)
      // An array has no holes: behind an item without texts no other can be registered.
      if (leaves.length === before) return
    }
  } else if (isContainer(value)) {
    for (const [name, below] of Object.entries(value)) collect(below, [...place, name], leaves)
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const own = (node: object, name: string): unknown =>
  Object.hasOwn(node, name) ? (node as Record<string, unknown>)[name] : undefined

function isPlainObject(node: object): boolean {
  return Object.entries(node).every(
    ([name, value]) => isPlain(name) && (!isContainer(value) || (isObject(value) && isPlainObject(value))),
  )
}
