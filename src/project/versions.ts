/** Compares and reverts versions of a stored file by bytes and words alone, for the worker. */
import { bundleIn, parseBundle, parseResource, renderBundle } from '../bundle/canonical.ts'
import { type ChangeCounts, countChanges, diffBundles, type KeyChange } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import { placesOf, type SourceFile } from '../bundle/file-change.ts'
import { mostBytes } from '../bundle/file-size.ts'
import type { Message } from '../bundle/message.ts'
import type { Format } from '../bundle/names.ts'
import { Bundle, inFormat } from '../bundle/resource.ts'
import { holds, restoreBundle, restoreKey, revertBundle, type SkippedRevert } from '../bundle/revert.ts'

/** Two versions of a file; null where absent. */
export interface VersionBytes {
  before: Uint8Array | null
  after: Uint8Array | null
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

/** The bytes of a change on a page. */
export const sizeOf = ({ before, after }: KeyChange): number => 2 * JSON.stringify([before, after]).length

/** Which changes are wanted. */
export interface DiffTask extends VersionBytes {
  /** Only keys after this one. */
  behind: string | null
  /** At most this many (or bytes by {@link sizeOf}), and one more as a sign that there are more. */
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

/** Maximum of rows in the list of an answer, and of their characters as JSON. */
export const MAX_ROWS = 1_000
export const MAX_ROW_CHARACTERS: number = 4 * 2 ** 20

/** A file to revert, see `revert.ts`. */
export interface RevertTask {
  path: string
  present: Uint8Array | null
  before: Uint8Array | null
  /** The version of the later state; undefined where that is the present one. */
  after: Uint8Array | null | undefined
  /** The formats of the present and the earlier version, and the format to write. */
  formats: { present: Format; before: Format; target: Format }
  /** The only key, or one form by its name; null for all. */
  key: string | null
  /** Has the places of keys that return, in the target's format. */
  source?: SourceFile | undefined
  /** Maximum of changes in the outcome. */
  most: number
}

/** The new content of a file, and what differs. */
export interface RevertOutcome {
  /** Null removes the file, undefined leaves it as it is. */
  bytes: Uint8Array | null | undefined
  counts: ChangeCounts
  changes: KeyChange[]
  /** The first {@link MAX_ROWS}; `skippedKeys` counts all. */
  skipped: SkippedRevert[]
  skippedKeys: number
  /** Whether the earlier version has the task's key. */
  held: boolean
}

/**
 * A file that is as the later state has it becomes the very file of before; others go by `revertBundle`.
 * @throws Failure `unfit` for a present or earlier file that is no bundle, or where the key cannot go
 */
export function revertFile({ path, present, before, after, formats, key, source, most }: RevertTask): RevertOutcome {
  const places = placesOf(source)
  const read = (bytes: Uint8Array | null, format: Format) =>
    bytes === null ? Bundle.empty(format) : readFile(path, bytes, format)
  const was = read(before, formats.before)
  const now = read(present, formats.present)
  const isWhole = key === null && after === undefined
  const { bundle, changes, skipped } =
    key !== null
      ? restoreKey(now, was, key, places)
      : after === undefined
        ? restoreBundle(now, was, formats.target, places)
        : revertBundle(now, was, bundleIn(after), places)
  const rest = {
    counts: countChanges(changes),
    changes: changes.slice(0, most),
    skipped: skipped.slice(0, MAX_ROWS),
    skippedKeys: skipped.length,
    held: key !== null && holds(was, key),
  }
  const result = inFormat(bundle, formats.target, places)
  if (result === now && present !== null) return { bytes: undefined, ...rest }
  // A person may have committed a file without keys. It is a file until something in it changes.
  const isFile = result.size > 0 || (isWhole ? before !== null : present !== null && changes.length === 0)
  const bytes = isFile ? renderBundle(result, mostBytes(present, before)) : null
  const stays = bytes === null ? present === null : present !== null && bytes.equals(present)
  return { bytes: stays ? undefined : bytes, ...rest }
}

function readFile(path: string, bytes: Uint8Array, format: Format): Bundle {
  try {
    return parseBundle(bytes, format)
  } catch (error) {
    // A later commit corrects a bad file of a person, but the file stays in the history.
    if (!(error instanceof Failure)) throw error
    throw new Failure('unfit', `The file ${path} of then cannot be brought back: ${error.message}`)
  }
}
