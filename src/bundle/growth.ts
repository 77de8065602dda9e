/** Reads a parsed JSON object into a tree of places, every leaf where it is shown. */
import { Complaints } from './complaints.ts'
import { Failure } from './errors.ts'
import { peel } from './message.ts'
import { MAX_KEY, MAX_SEGMENTS } from './names.ts'
import { Branch, Entry, PlaceTree, type Segment } from './place.ts'

/** Most characters of all names together. Nesting shares prefixes, so that a small body could unfold into gigabytes. */
const MAX_CHARACTERS = 64 * 1024 * 1024

/** Looks at a leaf before it is taken in; may complain. */
export type Inspection = (name: string, value: string, complaints: Complaints) => void

/**
 * The keys of a resource, in the places that it shows.
 * @throws Failure `unfit` naming the keys: leaves that are no strings, a key that stands twice or at two places, too
 *   many segments, array items that would move because one before them carries no text
 */
export function growTree(resource: object, flat: boolean, inspect?: Inspection): PlaceTree {
  const growth = new Growth(new PlaceTree(flat), inspect)
  growth.members(resource, growth.tree.root, '', 1)
  growth.complaints.throwIfAny()
  return flat ? flattened(growth.tree) : growth.tree
}

class Growth {
  readonly tree: PlaceTree
  readonly complaints = new Complaints()
  readonly #inspect: Inspection | undefined
  #characters = 0

  constructor(tree: PlaceTree, inspect?: Inspection) {
    this.tree = tree
    this.#inspect = inspect
  }

  /** Takes in the members of an object or the items of an array; `prefix` is its name with a dot behind it. */
  members(value: object, branch: Branch, prefix: string, depth: number): void {
    let gap: string | undefined
    for (const member of Object.keys(value)) {
      const below = (value as Record<string, unknown>)[member]
      const name = prefix + member
      if (typeof below === 'string') this.#leaf(branch, member, name, below)
      else if (below === null || typeof below !== 'object') this.#notAString(name)
      else if (depth === MAX_SEGMENTS) this.#tooDeep(name)
      else if (name.length > 2 * MAX_KEY) this.complaints.add(`A key may have at most ${MAX_KEY} characters`, name)
      else if (!this.#branch(branch, member, name, below, depth)) {
        gap ??= name
        continue
      }
      if (gap !== undefined && branch.list) {
        this.complaints.add('An array item without any text, which would vanish and move the items behind it', gap)
        gap = undefined
      }
    }
  }

  /** Whether anything stood in it: empty objects and arrays carry no keys and vanish. */
  #branch(parent: Branch, member: string, name: string, value: object, depth: number): boolean {
    const branch = new Branch(parent, member, Array.isArray(value))
    this.members(value, branch, `${name}.`, depth + 1)
    if (branch.isEmpty) return false
    parent.branches.set(member, branch)
    return true
  }

  #leaf(home: Branch, member: string, name: string, value: string): void {
    this.#inspect?.(name, value, this.complaints)
    this.#characters += name.length
    if (this.#characters > MAX_CHARACTERS) {
      throw new Failure('unfit', 'The names of the keys are too long for their number; send fewer at a time.')
    }
    const leaf = peel(name)
    const base = member.slice(0, member.length - (name.length - leaf.key.length))
    let entry = this.tree.get(leaf.key)
    if (!entry) {
      entry = new Entry(leaf.key, home, base)
      this.tree.attach(entry)
    } else if (entry.home !== home || entry.base !== base) {
      const places = `${show(entry.place())} and ${show(new Entry(leaf.key, home, base).place())}`
      this.complaints.add(`The same key stands at two places of the file, ${places}; keep one of them`, name)
      return
    }
    if (leaf.kind === 'text') entry.text = value
    else (entry[leaf.kind] ??= {})[leaf.form] = value
  }

  #notAString(name: string): void {
    this.complaints.add('A value must be a string, not a number, a boolean or null', name)
  }

  #tooDeep(name: string): void {
    this.complaints.add(`A key may have at most ${MAX_SEGMENTS} segments`, name)
  }
}

const show = (place: readonly Segment[]): string => {
  const text = JSON.stringify(place)
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}

/** The same keys, all at the top. */
function flattened(tree: PlaceTree): PlaceTree {
  if (tree.root.branches.size === 0) return tree
  const flat = new PlaceTree(true)
  for (const entry of tree.entries()) flat.attach(new Entry(entry.key, flat.root, entry.key, entry))
  return flat
}
