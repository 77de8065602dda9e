/** Compares and restores versions of a stored file by bytes and words alone, for the worker. */
import { parseBundle, parseResource, renderBundle } from '../bundle/canonical.ts'
import { type ChangeCounts, countChanges, diffBundles, type KeyChange } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import { mostBytes } from '../bundle/file-size.ts'
import type { Message } from '../bundle/message.ts'
import type { Format } from '../bundle/names.ts'
import { Bundle, inFormat } from '../bundle/resource.ts'
import { holds, restoreBundle, restoreKey } from '../bundle/restore.ts'
import { revertBundle, type Skipped } from '../bundle/revert.ts'
import { placesOf, type SourceFile } from '../bundle/source-file.ts'

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

/** A file's JSON, `{}` for a bad one, by the same rule. */
export function resourceIn(bytes: Uint8Array): object {
  try {
    return parseResource(bytes)
  } catch (error) {
    if (error instanceof Failure && error.code === 'unfit') return {}
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
  /** Has the places of keys that come back, in the target's format. */
  source?: SourceFile | undefined
  /** How many changes are wanted. */
  most: number
}

/** What becomes of a file. */
export interface FileOutcome {
  /** Its new content: null for none, undefined when it stays. */
  bytes: Uint8Array | null | undefined
  counts: ChangeCounts
  changes: KeyChange[]
}

/** A restore's result. */
export interface RestoreOutcome extends FileOutcome {
  /** Whether it had the key then. */
  held: boolean
}

/** @throws Failure `unfit` for a file that is no bundle, or where the key cannot go */
export function restoreFile({ path, present, past, formats, key, source, most }: RestoreTask): RestoreOutcome {
  const read = (bytes: Uint8Array | null, format: Format) =>
    bytes === null ? undefined : readFile(path, bytes, format)
  const before = read(present, formats.present)
  const after = read(past, formats.past)
  if (key !== null) {
    const held = after !== undefined && holds(after, key)
    const from = before ?? Bundle.empty(formats.present)
    const { bundle, changes } = restoreKey(from, after ?? Bundle.empty(formats.present), key, placesOf(source))
    const bytes =
      bundle === from ? undefined : bundle.size === 0 ? null : renderBundle(bundle, mostBytes(present, past))
    return { bytes, counts: countChanges(changes), changes: changes.slice(0, most), held }
  }
  const { target } = formats
  const { bundle, changes } = restoreBundle(
    before ?? Bundle.empty(formats.present),
    after ?? Bundle.empty(target),
    target,
    placesOf(source),
  )
  const bytes = after ? renderBundle(bundle, mostBytes(present, past)) : null
  const stays = present !== null && bytes?.equals(present)
  return {
    bytes: stays ? undefined : bytes,
    counts: countChanges(changes),
    changes: changes.slice(0, most),
    held: false,
  }
}

/** A file in which a commit is to be undone. */
export interface RevertTask {
  path: string
  /** The versions of now, of the commit's parent and of the commit. */
  present: Uint8Array | null
  before: Uint8Array | null
  after: Uint8Array | null
  /** The formats of now and of the parent, and the one to write. */
  formats: { present: Format; before: Format; target: Format }
  /** Has the places of keys that come back. */
  source?: SourceFile | undefined
  /** How many changes, and how many skipped keys, are wanted. */
  most: { changes: number; skipped: number }
}

/** What undoing comes to in a file. */
export interface RevertOutcome extends FileOutcome {
  skipped: Skipped[]
  /** Of all, wanted or not. */
  skippedKeys: number
}

/**
 * A file that is as the commit left it becomes the very file of before; others go by `revertBundle`.
 * @throws Failure `unfit` for a file of now or before that is no bundle
 */
export function revertFile({ path, present, before, after, formats, source, most }: RevertTask): RevertOutcome {
  const places = placesOf(source)
  const read = (bytes: Uint8Array | null, format: Format) =>
    bytes === null ? Bundle.empty(format) : readFile(path, bytes, format)
  const was = read(before, formats.before)
  const now = read(present, formats.present)
  const isAsLeft = present === null ? after === null : after !== null && Buffer.compare(present, after) === 0
  const { bundle, changes, skipped } = isAsLeft
    ? { ...restoreBundle(now, was, formats.target, places), skipped: [] }
    : revertBundle(now, was, bundleIn(after), places)
  const made = inFormat(bundle, formats.target, places)
  // People may have committed a file without keys, which is one until something in it changes.
  const isKept = made.size > 0 || (isAsLeft ? before !== null : present !== null && changes.length === 0)
  const bytes = isKept ? renderBundle(made, mostBytes(present, before)) : null
  const stays = bytes === null ? present === null : present !== null && bytes.equals(present)
  return {
    bytes: stays ? undefined : bytes,
    counts: countChanges(changes),
    changes: changes.slice(0, most.changes),
    skipped: skipped.slice(0, most.skipped),
    skippedKeys: skipped.length,
  }
}

function readFile(path: string, bytes: Uint8Array, format: Format): Bundle {
  try {
    return parseBundle(bytes, format)
  } catch (error) {
    // Bad commits by people are corrected by others on top, but stay in the history.
    if (!(error instanceof Failure)) throw error
    throw new Failure('unfit', `The file ${path} of then cannot be brought back: ${error.message}`)
  }
}
