/** Where the source language's file has its keys: in other languages, new keys stand in the same places. */
import { isObject } from './body.ts'
import { isPlain, type Segment } from './json-node.ts'
import { FORMS, KINDS, peel, suffix } from './message.ts'
import { isIndex, placeByName } from './place.ts'

const ENDINGS = KINDS.flatMap(kind => FORMS.map(form => suffix(kind, form)))

/** The places of one source file. */
export class SourcePlaces {
  readonly #resource: object
  #plain: boolean | undefined

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
  placeOf(key: string): Segment[] | undefined {
    const found: Found = { place: undefined, above: [], prefix: 0, inList: false }
    search(this.#resource, key, 0, [], found)
    if (found.place) return found.place
    const { above, prefix, inList } = found
    if (!above.some(segment => typeof segment === 'number' || !isPlain(segment)) && !inList) return undefined
    const [first, ...others] = placeByName(key.slice(prefix))
    return [...above, inList && isIndex(first!) ? Number(first) : first!, ...others]
  }

  /** Whether the source has an object, and no array, at a place. */
  hasObjectAt(place: readonly string[]): boolean {
    const value = this.#valueAt(place)
    return isContainer(value) && !Array.isArray(value)
  }

  /** The number of items of an array at a place; 0 where the source has none. */
  lengthOf(place: readonly Segment[]): number {
    const value = this.#valueAt(place)
    return Array.isArray(value) ? value.length : 0
  }

  /** The places of the texts and forms in an item of an array; none where the source has no such item. */
  leavesOfItem(array: readonly Segment[], index: number): Segment[][] {
    const value = this.#valueAt(array)
    const leaves: Segment[][] = []
    if (Array.isArray(value) && index < value.length) collect(value[index], [...array, index], leaves)
    return leaves
  }

  #valueAt(place: readonly Segment[]): unknown {
    let value: unknown = this.#resource
    for (const segment of place) value = isContainer(value) ? own(value, String(segment)) : undefined
    return value
  }
}

/** Of a search: the place of the key, and the deepest object or array on the way to it. */
interface Found {
  place: Segment[] | undefined
  above: Segment[]
  inList: boolean
  /** Characters of the key before what is left below `above`. */
  prefix: number
}

function search(node: object, key: string, from: number, place: Segment[], found: Found): void {
  const rest = key.slice(from)
  const list = Array.isArray(node)
  if (from > found.prefix) Object.assign(found, { above: place, prefix: from, inList: list })
  if (holds(node, key, rest)) {
    found.place = [...place, list ? Number(rest) : rest]
    return
  }
  for (let dot = rest.indexOf('.'); dot !== -1 && !found.place; dot = rest.indexOf('.', dot + 1)) {
    const name = rest.slice(0, dot)
    const below = own(node, name)
    if (isContainer(below)) search(below, key, from + dot + 1, [...place, list ? Number(name) : name], found)
  }
}

/** Whether a text or form of the key is a member here. */
function holds(node: object, key: string, name: string): boolean {
  if (typeof own(node, name) === 'string') return true
  if (Array.isArray(node)) return false
  return ENDINGS.some(ending => typeof own(node, name + ending) === 'string' && peel(key + ending).key === key)
}

function collect(value: unknown, place: Segment[], leaves: Segment[][]): void {
  if (typeof value === 'string') leaves.push(place)
  else if (Array.isArray(value)) for (const [at, item] of value.entries()) collect(item, [...place, at], leaves)
  else if (isContainer(value)) {
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
