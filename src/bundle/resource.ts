/** A bundle (keys and messages in their places), and a fragment: a request's checked content. */
import { isObject } from './body.ts'
import { Complaints } from './complaints.ts'
import { Failure } from './errors.ts'
import { MAX_FILE } from './file-size.ts'
import { foreignFormat } from './foreign.ts'
import { icuFault } from './icu.ts'
import type { JsonNode, KeyEntry, PlaceSegment } from './json-node.ts'
import { findLegacyPlurals, OLD_PLURALS } from './legacy-plurals.ts'
import { type Message, messageOf } from './message.ts'
import { countSegments, type Format, keyFault, MAX_KEY, MAX_SEGMENTS, textFault } from './names.ts'
import { PlaceTree, placeByName } from './place.ts'
import { arranged, placeBySource } from './place-by-source.ts'
import { type Inspection, readTree } from './read-tree.ts'
import type { SourcePlaces } from './source-places.ts'

/** One language x one namespace. Immutable, unless expendable. */
export class Bundle {
  readonly format: Format
  /** Change only the tree of {@link writable}. */
  readonly tree: PlaceTree
  /** Whether a change may modify it: copying 10,000 keys costs as much as parsing them. */
  readonly #expendable: boolean

  constructor(format: Format, tree: PlaceTree, options: { expendable?: boolean } = {}) {
    this.format = format
    this.tree = tree
    this.#expendable = options.expendable === true
  }

  /** A tree for another bundle: a copy, or its own if expendable. */
  writable(): PlaceTree {
    return this.#expendable ? this.tree : this.tree.copy()
  }

  static empty(format: Format): Bundle {
    return new Bundle(format, new PlaceTree(isFlat(format)))
  }

  /** The number of keys; a plural is one. */
  get size(): number {
    return this.tree.size
  }

  /** Every key with its message, in the file's order. */
  rows(): { key: string; message: Message }[] {
    return this.tree.root.inOrder([]).map(entry => ({ key: entry.key, message: messageOf(entry) }))
  }

  message(key: string): Message | undefined {
    const entry = this.tree.get(key)
    return entry && messageOf(entry)
  }
}

export const isFlat = (format: Format): boolean => format === 'i18next-json-flat'

/** A checked request body: keys, messages, and the places that it means. Immutable. */
export class Fragment {
  readonly tree: PlaceTree
  /** Whether the body nests: then its places count, otherwise keys are split at their dots. */
  readonly nests: boolean

  constructor(tree: PlaceTree, nests: boolean) {
    this.tree = tree
    this.nests = nests
  }

  /** The place that the body means for a key. */
  placeOf(entry: KeyEntry): readonly PlaceSegment[] {
    return this.nests ? entry.place() : placeByName(entry.key)
  }
}

/** What a body is for. */
interface BodyTarget {
  format: Format
  language: string
  /** False for a body without a backslash, and so without JSON escapes. */
  escapes?: boolean
}

/**
 * Reads a request's body by all the rules of writes.
 * @param target the bundle's format and language
 * @throws Failure `unfit` naming the keys that break a rule
 */
export function readFragment(resource: unknown, target: BodyTarget): Fragment {
  if (!isObject(resource)) throw new Failure('unfit', 'A resource must be a JSON object of keys and texts.')
  const complaints = new Complaints()
  const { shown, nests } = readBody(resource, target, complaints)
  complaints.throwIfAny()
  const isSettled = nests || shown.flat || shown.plain
  return new Fragment(isSettled ? shown : placedByName(shown.entries(), false), nests)
}

/**
 * Every fault that {@link readFragment} refuses, not only the first kind.
 * @throws Failure for a fault of the whole body: another tool's format, or a size over a limit
 */
export function complaintsAbout(resource: object, target: BodyTarget): Complaints {
  const complaints = new Complaints()
  readBody(resource, target, complaints)
  return complaints
}

/** A body as it shows its keys, and whether it nests: then its places count. */
function readBody(
  resource: object,
  { format, language, escapes = true }: BodyTarget,
  complaints: Complaints,
): { shown: PlaceTree; nests: boolean } {
  refuseForeign(resource)
  const inspection: Inspection = (node, member, value) => inspect(node, member, value, !escapes)
  const shown = readTree(resource, isFlat(format), escapes, inspection, complaints)
  for (const key of findLegacyPlurals(shown, language)) complaints.add(OLD_PLURALS, key)
  const nests = Object.values(resource).some(value => typeof value === 'object')
  if (!nests && !shown.flat && !shown.plain) {
    for (const { key } of shown.entries()) {
      if (isTooDeep(key)) complaints.add(`A key may have at most ${MAX_SEGMENTS} segments`, key)
    }
  }
  return { shown, nests }
}

/** @throws Failure `unfit` when a whole body is another tool's format */
function refuseForeign(resource: object): void {
  const format = foreignFormat(resource)
  if (format) throw new Failure('unfit', format)
}

/** The rules for one leaf. A node's own name is checked with its first leaf. */
function inspect(node: JsonNode, member: string, value: string, storable: boolean): string | undefined {
  const isLong = node.prefix.length + member.length > MAX_KEY
  const name = isLong || node.keys.size === 0 ? node.prefix + member : member
  const fault = (name === '' && node.parent ? undefined : keyFault(name, storable)) ?? textFault(value, storable)
  return fault ? `A key that ${fault}` : icuFault(value)
}

/**
 * Keys where the source has them, else where their names say; those of too many segments, only in flat files, stay
 * literal.
 * @throws Failure `too-large` for keys that nest into a file that is larger than one may be
 */
export function placedByName(entries: KeyEntry[], flat: boolean, source?: SourcePlaces): PlaceTree {
  const tree = new PlaceTree(flat, MAX_FILE)
  for (const from of source ? arranged(entries) : entries) {
    const { key, hasForms } = from
    const place = placeBySource(tree, key, source, hasForms) ?? (isTooDeep(key) ? [key] : undefined)
    const entry = tree.get(key) ?? tree.add(key, place, hasForms)
    for (const [leaf, value] of from.leaves()) tree.set(entry, leaf, value)
  }
  return tree
}

/**
 * A bundle in another format, each key where its name says. The nested format has places that a flat file loses: arrays
 * and segments with dots.
 * @param source of the other format; its places come before those of names
 */
export function inFormat(bundle: Bundle, format: Format, source?: SourcePlaces): Bundle {
  if (bundle.format === format) return bundle
  return new Bundle(format, placedByName(bundle.tree.entries(), isFlat(format), source))
}

const isTooDeep = (key: string): boolean => countSegments(key) > MAX_SEGMENTS && placeByName(key).length > 1
