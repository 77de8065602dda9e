/** Compares and restores versions of a stored file by bytes and words alone, for the worker. */
import { parseBundle, renderBundle } from '../bundle/canonical.ts'
import { type ChangeCounts, countChanges, diffBundles, type KeyChange } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import type { Message } from '../bundle/message.ts'
import type { Format } from '../bundle/names.ts'
import { Bundle } from '../bundle/resource.ts'
import { holds, restoreBundle, restoreKey } from '../bundle/restore.ts'

/** Two versions of a file; null where absent. */
export interface VersionBytes {
  before: Uint8Array | null
  after: Uint8Array | null
}

/**
 * A file's bundle; the format only matters for places. Absent files are empty, and so are bad ones, which someone may
 * have committed while no server ran.
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

/** A key's message in a file, null without one. */
export function messageIn({ bytes, key }: { bytes: Uint8Array | null; key: string }): Message | null {
  return bundleIn(bytes).message(key) ?? null
}

/** The bytes of a page that a change takes. */
export const sizeOf = ({ before, after }: KeyChange): number => 2 * JSON.stringify([before, after]).length

/** Which changes are wanted. */
export interface DiffTask extends VersionBytes {
  /** Only keys after this one. */
  behind: string | null
  /** At most this many (or bytes by {@link sizeOf}), and one more to tell that there are more. */
  most: number
  bytes: number
}

/** The counts of all changes, and the wanted ones. */
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

/** A file to restore: all of it, or a key. */
export interface RestoreTask {
  path: string
  /** The versions of now and then. */
  present: Uint8Array | null
  past: Uint8Array | null
  /** The formats of now and then, and the one to restore a whole file in. */
  formats: { present: Format; past: Format; target: Format }
  key: string | null
  /** How many changes are wanted. */
  most: number
}

/** A restore's result. */
export interface RestoreOutcome {
  /** The file's new content: null for none, undefined when it stays. */
  bytes: Uint8Array | null | undefined
  counts: ChangeCounts
  changes: KeyChange[]
  /** Whether it had the key then. */
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
    // Bad commits by people are corrected by others on top, but stay in the history.
    if (!(error instanceof Failure)) throw error
    throw new Failure('unfit', `The file ${path} of then cannot be restored: ${error.message}`)
  }
}
