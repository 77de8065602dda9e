/** Comparing two versions of a stored file, and taking one back to the other, told in bytes and words alone: the worker does it for large ones. */
import { parseBundle, renderBundle } from '../bundle/canonical.ts'
import { type ChangeCounts, countChanges, diffBundles, type KeyChange } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import type { Message } from '../bundle/message.ts'
import type { Format } from '../bundle/names.ts'
import { Bundle } from '../bundle/resource.ts'
import { holds, restoreBundle, restoreKey } from '../bundle/restore.ts'

/** Two versions of a file; null where it is absent. */
export interface VersionBytes {
  before: Uint8Array | null
  after: Uint8Array | null
}

/**
 * The bundle of a file, which holds the same keys with the same messages in either format: the format tells where keys
 * stand. A file that is absent holds none, and neither does one that breaks the rules, which someone may have committed while
 * no server ran.
 */
export function bundleIn(bytes: Uint8Array | null): Bundle {
  if (bytes === null) return Bundle.empty('i18next-json')
  try {
    return parseBundle(bytes, 'i18next-json')
  } catch (error) {
    if (error instanceof Failure && error.code === 'unfit') return Bundle.empty('i18next-json')
    throw error
  }
}

/** The keys that differ between two versions, in code-unit order. */
export function compare({ before, after }: VersionBytes): KeyChange[] {
  return diffBundles(bundleIn(before), bundleIn(after))
}

/** The message of a key in a file, null when it has none. */
export function messageIn({ bytes, key }: { bytes: Uint8Array | null; key: string }): Message | null {
  return bundleIn(bytes).message(key) ?? null
}

/** How much a change takes of a page, in bytes, whoever measures it. */
export const sizeOf = ({ before, after }: KeyChange): number => 2 * JSON.stringify([before, after]).length

/** Which of the changes are wanted. */
export interface DiffTask extends VersionBytes {
  /** Only those of keys behind this one. */
  behind: string | null
  /** So many, or so many bytes by {@link sizeOf}; and one more, which tells that there are more. */
  most: number
  bytes: number
}

/** The counts of all changes, and those that are wanted. */
export interface DiffAnswer {
  counts: ChangeCounts
  changes: KeyChange[]
}

/** See {@link DiffTask}. */
export function computeDiff({ behind, most, bytes, ...versions }: DiffTask): DiffAnswer {
  const changes = compare(versions)
  const wanted: KeyChange[] = []
  let room = bytes
  for (const change of changes) {
    if (behind !== null && change.key <= behind) continue
    wanted.push(change)
    if (wanted.length > most || room < 0) break
    room -= sizeOf(change)
  }
  return { counts: countChanges(changes), changes: wanted }
}

/** A file to be taken back: all of it, or a key. */
export interface RestoreTask {
  path: string
  /** The version of now, and that of then. */
  present: Uint8Array | null
  past: Uint8Array | null
  /** The format of now, of then, and the one to restore the whole file in. */
  formats: { present: Format; past: Format; target: Format }
  key: string | null
  /** How many changes are wanted. */
  most: number
}

/** What becomes of it. */
export interface RestoreOutcome {
  /** What the file holds afterwards: null for none, undefined when it stays. */
  bytes: Uint8Array | null | undefined
  counts: ChangeCounts
  changes: KeyChange[]
  /** Whether it held the key then. */
  held: boolean
}

/** @throws Failure `unfit` for a file that is no bundle, or where the key cannot go */
export function restoreFile({ path, present, past, formats, key, most }: RestoreTask): RestoreOutcome {
  const read = (bytes: Uint8Array | null, format: Format) =>
    bytes === null ? undefined : readFile(path, bytes, format)
  const before = read(present, formats.present)
  const after = read(past, formats.past)
  if (key !== null) {
    const held = after !== undefined && holds(after, key)
    const from = before ?? Bundle.empty(formats.present)
    const { bundle, changes } = restoreKey(from, after ?? Bundle.empty(formats.present), key)
    const bytes = bundle === from ? undefined : bundle.size === 0 ? null : renderBundle(bundle)
    return { bytes, counts: countChanges(changes), changes: changes.slice(0, most), held }
  }
  const { target } = formats
  const { bundle, changes } = restoreBundle(
    before ?? Bundle.empty(formats.present),
    after ?? Bundle.empty(target),
    target,
  )
  const bytes = after ? renderBundle(bundle) : null
  const stays = present !== null && bytes?.equals(present)
  return {
    bytes: stays ? undefined : bytes,
    counts: countChanges(changes),
    changes: changes.slice(0, most),
    held: false,
  }
}

function readFile(path: string, bytes: Uint8Array, format: Format): Bundle {
  try {
    return parseBundle(bytes, format)
  } catch (error) {
    // Commits that people make with git are mended by others on top, but stay in the history.
    if (!(error instanceof Failure)) throw error
    throw new Failure('unfit', `The file ${path} of then cannot be restored: ${error.message}`)
  }
}
