/** A sidecar's file by key, for any kind of entries: `{ key: entry }`. An entry is an object or a list of objects. */
import { isObject } from '../../bundle/body.ts'
import { Failure } from '../../bundle/errors.ts'
import { MAX_FILE, mostBytes } from '../../bundle/file-size.ts'
import { entriesIn, type KeyEntries } from '../../bundle/key-entries.ts'
import { keyFault, shortKey } from '../../bundle/names.ts'
import { editedJson } from '../edited-json.ts'
import { joinEntries } from './merge-entry.ts'

/** Checks an entry. @returns its canonical form, undefined for one that says nothing @throws Failure `unfit` */
type CheckEntry<E> = (key: string, entry: unknown) => E | undefined

/**
 * Reads a file by the rules of a write.
 * @param what the file holds, such as `notes`
 * @throws Failure `invalid` or `unfit` naming the culprit
 */
export function parseEntries<E>(bytes: Uint8Array, what: string, check: CheckEntry<E>): KeyEntries<E> {
  const value = editedJson(bytes)
  if (!isObject(value)) throw new Failure('unfit', `A file of ${what} must be a JSON object: ${what} by key.`)
  const entries: KeyEntries<E> = new Map()
  for (const [key, entry] of Object.entries(value)) {
    const fault = keyFault(key)
    if (fault !== undefined) throw new Failure('unfit', `The key ${JSON.stringify(shortKey(key))} ${fault}.`)
    const checked = check(key, entry)
    if (checked !== undefined) entries.set(key, checked)
  }
  return entries
}

/** The valid entries of a file at HEAD: those that break the rules are left out. */
export function validEntries<E>(bytes: Uint8Array | null | undefined, check: CheckEntry<E>): KeyEntries<E> {
  const entries: KeyEntries<E> = new Map()
  for (const [key, entry] of entriesIn(bytes)) {
    const valid = validEntry(key, entry, check)
    if (valid !== undefined) entries.set(key, valid)
  }
  return entries
}

/** A valid entry; undefined for one that says nothing or breaks the rules. */
function validEntry<E>(key: string, entry: unknown, check: CheckEntry<E>): E | undefined {
  try {
    return check(key, entry)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * The canonical file, null without entries: keys in code-unit order.
 * @param members of entries, in their order; by default all, as they stand
 */
export function renderEntries(entries: ReadonlyMap<string, unknown>, members: string[] | null = null): Buffer | null {
  if (entries.size === 0) return null
  const lines = [...entries.keys()].sort().map(key => {
    return `  ${JSON.stringify(key)}: ${JSON.stringify(entries.get(key), members, 2).replaceAll('\n', '\n  ')}`
  })
  return Buffer.from(`{\n${lines.join(',\n')}\n}\n`)
}

/**
 * As {@link renderEntries}, within the maximum of a file. @param versions of the file: it may stay as large as they are
 * @throws Failure `too-large` naming the file
 */
export function renderWithin(
  path: string,
  entries: ReadonlyMap<string, unknown>,
  versions: readonly (Uint8Array | null | undefined)[] = [],
): Buffer | null {
  const bytes = renderEntries(entries)
  if (bytes === null || bytes.length <= mostBytes(...versions)) return bytes
  const limit = MAX_FILE.toLocaleString('en')
  throw new Failure('too-large', `${path} would have more than ${limit} bytes: split the namespace, or remove entries.`)
}

/** Reads the entry of one key in a canonical file, without the others. Undefined where it is not found so. */
export function entryAt(bytes: Uint8Array, key: string): unknown {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = `\n  ${JSON.stringify(key)}: `
  const at = file.indexOf(name)
  const from = at + Buffer.byteLength(name)
  const end = file.toString('latin1', from, from + 1) === '[' ? '\n  ]' : '\n  }'
  const to = at < 0 ? -1 : file.indexOf(end, from)
  return to < 0 ? undefined : JSON.parse(file.toString('utf8', from, to + end.length))
}

/** The valid entry of one key. The file is canonical, unless a person committed another one. */
export function entryOf<E>(bytes: Uint8Array, key: string, check: CheckEntry<E>): E | undefined {
  const entry = entryAt(bytes, key)
  return entry === undefined ? validEntries(bytes, check).get(key) : validEntry(key, entry, check)
}

/** Reads a file of lists by the rules of a write. @throws Failure `invalid` or `unfit` naming the culprit */
export function parseLists<Item extends { id: string }>(
  bytes: Uint8Array,
  what: string,
  check: CheckEntry<Item[]>,
): KeyEntries<Item[]> {
  const lists = parseEntries(bytes, what, check)
  const known = new Set<string>()
  for (const { id } of [...lists.values()].flat()) {
    if (known.has(id)) throw new Failure('unfit', `Two keys have ${what} with the id "${id}".`)
    known.add(id)
  }
  return lists
}

/** A check of lists: an empty list says nothing. */
export const orNone =
  <Item>(check: (key: string, entry: unknown) => Item[]): CheckEntry<Item[]> =>
  (key, entry) => {
    const list = check(key, entry)
    return list.length === 0 ? undefined : list
  }

/** Files to merge, and the path of the new one. */
interface MergeTask {
  path: string
  files: readonly Uint8Array[]
}

/** The entries of several files in one, null without entries. Lists are joined; otherwise the last entry counts. */
export function mergeEntries({ path, files }: MergeTask): { file: Buffer | null } {
  const merged: KeyEntries = new Map()
  for (const [key, entry] of files.flatMap(file => [...entriesIn(file)])) {
    merged.set(key, joinEntries(merged.get(key), entry))
  }
  return { file: renderWithin(path, merged, files) }
}
