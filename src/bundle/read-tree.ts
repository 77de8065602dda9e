/** Reads a JSON object into a tree of places, every leaf where it is shown. */
import { Complaints } from './complaints.ts'
import { Failure } from './errors.ts'
import { MAX_FILE } from './file-size.ts'
import { JsonNode, KeyEntry, type PlaceSegment } from './json-node.ts'
import { mayBeForm, peel } from './message.ts'
import { MAX_KEY, MAX_SEGMENTS, shorten } from './names.ts'
import { PlaceTree } from './place.ts'

/** Most characters of a write's names: nesting shares prefixes, so a small body could unfold into gigabytes. */
const MAX_CHARACTERS = 64 * 1024 * 1024

/** Checks a leaf: the rule that it breaks, if any. */
export type Inspection = (node: JsonNode, member: string, value: string) => string | undefined

/**
 * A resource's keys, in the places that it shows.
 * @param escapes whether a name or text may need JSON escapes
 * @param complaints collects the faults that would otherwise be thrown
 * @throws Failure `unfit` naming keys: leaves that are no strings, a key at two places, too many segments, array items
 * that would move because one before them has no text
 */
export function readTree(
  resource: object,
  flat: boolean,
  escapes: boolean,
  inspect?: Inspection,
  complaints?: Complaints,
): PlaceTree {
  const reader = new TreeReader(inspect, complaints)
  reader.tree.escapes = escapes
  reader.members(resource, reader.tree.root, 1)
  reader.checkTwice()
  if (!complaints) reader.complaints.throwIfAny()
  return flat ? flattened(reader.tree) : reader.tree
}

class TreeReader {
  readonly tree: PlaceTree
  readonly complaints: Complaints
  readonly #inspect: Inspection | undefined
  #characters = 0

  constructor(inspect?: Inspection, complaints = new Complaints()) {
    this.complaints = complaints
    this.#inspect = inspect
    // A stored file of any size is read: otherwise it could not be repaired.
    this.tree = new PlaceTree(false, inspect && MAX_FILE)
  }

  members(value: object, node: JsonNode, depth: number): void {
    let gap: string | undefined
    for (const member of Object.keys(value)) {
      const below = (value as Record<string, unknown>)[member]
      if (typeof below === 'string') this.#leaf(node, member, below)
      else if (below === null || typeof below !== 'object') {
        this.complaints.add('A value must be a string, not a number, a boolean or null', node.prefix + member)
      } else if (!this.#node(node, member, below, depth)) {
        gap ??= node.prefix + member
        continue
      }
      if (gap !== undefined && node.list) {
        this.complaints.add('An array item without any text, which would vanish and move the items behind it', gap)
        gap = undefined
      }
    }
  }

  /** Whether anything was in it: empty objects and arrays vanish. */
  #node(parent: JsonNode, member: string, value: object, depth: number): boolean {
    const node = this.tree.nest(new JsonNode(parent, member, Array.isArray(value)))
    if (depth === MAX_SEGMENTS) {
      this.complaints.add(`A key may have at most ${MAX_SEGMENTS} segments`, parent.prefix + member)
    } else if (node.prefix.length > 2 * MAX_KEY) {
      this.complaints.add(`A key may have at most ${MAX_KEY} characters`, parent.prefix + member)
    } else {
      this.members(value, node, depth + 1)
    }
    if (node.isEmpty) return false
    parent.nodes.set(member, node)
    return true
  }

  #leaf(home: JsonNode, member: string, value: string): void {
    const fault = this.#inspect?.(home, member, value)
    if (fault) this.complaints.add(fault, home.prefix + member)
    this.#characters += home.prefix.length + member.length
    if (this.#inspect && this.#characters > MAX_CHARACTERS) {
      throw new Failure('unfit', 'The names of the keys are too long for their number; send fewer at a time.')
    }
    const leaf = mayBeForm(member) ? peel(home.prefix + member) : undefined
    if (!leaf || leaf.kind === 'text') this.#entry(home, member).text = value
    else (this.#entry(home, leaf.key.slice(home.prefix.length))[leaf.kind] ??= {})[leaf.form] = value
  }

  #entry(home: JsonNode, base: string): KeyEntry {
    let entry = home.keys.get(base)
    if (!entry) {
      entry = new KeyEntry(home, base)
      this.tree.attach(entry)
    }
    return entry
  }

  /** Refuses keys with two places. In plain trees there are none. */
  checkTwice(): void {
    if (this.tree.plain) return
    this.tree.index((first, second) => {
      const places = `${show(first.place())} and ${show(second.place())}`
      this.complaints.add(`The same key stands at two places of the body, ${places}; remove one of them`, first.key)
    })
  }
}

const show = (place: readonly PlaceSegment[]): string => shorten(JSON.stringify(place))

function flattened(tree: PlaceTree): PlaceTree {
  const flat = new PlaceTree(true)
  flat.escapes = tree.escapes
  for (const entry of tree.entries()) flat.attach(entry.twin(flat.root, entry.key))
  return flat
}
