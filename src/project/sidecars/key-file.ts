/** A sidecar's file by key, for any kind of entries: `{ key: entry }`. An entry is an object or a list of objects. */
import { Failure } from '../../bundle/errors.ts'
import { MAX_FILE, mostBytes } from '../../bundle/file-size.ts'
import { entriesIn, type KeyEntries } from '../../bundle/key-entries.ts'
import { joinEntries } from './merge-entry.ts'

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
