/** How i18next searches a nested file for a key: into the object of the shortest name, and never back out of it. */
import type { JsonNode, PlaceSegment } from './json-node.ts'
import { join } from './message.ts'
import { MAX_SEGMENTS } from './names.ts'

/** The leaves and nodes of a body with places of its own, so far. They do not attract its other keys. */
export interface Arrived {
  /** Names of leaves. */
  leaves: Set<string>
  nodes: Set<JsonNode>
}

/** An object on the way to a key, and the key's place by way of it. */
interface Way {
  next: JsonNode
  place: readonly PlaceSegment[]
}

/** Searches one tree while keys are added to it. Removals must happen before. */
export class KeySearch {
  /** By object, how its members' names begin before a dot; not those of leaves at the top, which are found whole. */
  readonly #beginnings = new Map<JsonNode, Set<string>>()

  /** The object that is gone into for the rest of a place from one of its segments on. */
  way(home: JsonNode, place: readonly PlaceSegment[], at: number, arrived?: Arrived): Way | undefined {
    const shown = String(place[at])
    if (home.list || !shown.includes('.')) {
      const next = home.nodes.get(shown)
      if (next) return { next, place }
    }
    const head = shown.split('.', 1)[0]!
    if (home.list || !(home.nodes.has(head) || home.nodes.has(shown) || this.#of(home, arrived).has(head))) return
    const name = place.slice(at).join('.')
    for (const dot of dotsIn(name)) {
      const next = home.nodes.get(name.slice(0, dot))
      if (!next) continue
      if (dot === shown.length) return { next, place }
      const left = leftOf(place.slice(at), dot + 1)
      // What is only below the key will be moved beside it.
      if (arrived?.nodes.has(next) || (at === place.length - 1 && holdsOnly(next, left))) continue
      return { next, place: [...place.slice(0, at), name.slice(0, dot), ...left] }
    }
    return undefined
  }

  /** Whether an object of this name would hide members that are called `name.…` from i18next. */
  wouldHide(home: JsonNode, name: string, arrived?: Arrived): boolean {
    return !home.list && this.#of(home, arrived).has(name)
  }

  /** Registers a new key. */
  note(home: JsonNode, base: string): void {
    const beginnings = this.#beginnings.get(home)
    if (beginnings && home.parent) begin(beginnings, base)
  }

  #of(home: JsonNode, arrived?: Arrived): Set<string> {
    let beginnings = this.#beginnings.get(home)
    if (beginnings) return beginnings
    beginnings = new Set()
    this.#beginnings.set(home, beginnings)
    for (const node of home.nodes.values()) if (!arrived?.nodes.has(node)) begin(beginnings, node.name)
    if (!home.parent) return beginnings
    for (const entry of home.keys.values()) {
      const isNew = arrived !== undefined && entry.leaves().every(([leaf]) => arrived.leaves.has(join(leaf)))
      if (!isNew) begin(beginnings, entry.base)
    }
    return beginnings
  }
}

function begin(beginnings: Set<string>, name: string): void {
  for (const dot of dotsIn(name)) beginnings.add(name.slice(0, dot))
}

/** Where a name has its dots, as many as a place may have. */
function* dotsIn(name: string): Generator<number> {
  let dot = name.indexOf('.')
  for (let count = 1; dot !== -1 && count < MAX_SEGMENTS; count++) {
    yield dot
    dot = name.indexOf('.', dot + 1)
  }
}

/** The rest of a place after a number of characters of its joined name. */
function leftOf([segment, ...others]: readonly PlaceSegment[], characters: number): PlaceSegment[] {
  const name = String(segment)
  if (characters <= name.length) return [name.slice(characters), ...others]
  return characters === name.length + 1 ? others : leftOf(others, characters - name.length - 1)
}

/** Whether an object has nothing but what is below a place. */
function holdsOnly(node: JsonNode, place: readonly PlaceSegment[]): boolean {
  let at: JsonNode | undefined = node
  for (const segment of place.flatMap(segment => String(segment).split('.'))) {
    if (at.keys.size > 0 || at.nodes.size !== 1) return false
    at = at.nodes.get(segment)
    if (!at) return false
  }
  return true
}
