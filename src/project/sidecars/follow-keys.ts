/**
 * How an entry of a sidecar follows its key, by bytes alone, for the worker. An entry belongs to a key of the source
 * language, or of its own language in a sidecar by language. It moves with a renamed key, goes when its key goes from
 * that language, and returns with a restore or an undo. An entry of a key that is in no bundle waits for that key. An
 * undo merges a list item by item. A restore brings back only lists of keys that return: what people have said since
 * stays.
 */
import { bundleIn } from '../../bundle/canonical.ts'
import { sameMessage } from '../../bundle/diff.ts'
import type { KeyRenaming } from '../../bundle/edit-key.ts'
import { entriesIn, type KeyEntries } from '../../bundle/key-entries.ts'
import { hasNoMarks, type KeyMarks } from '../../bundle/mark.ts'
import type { Message } from '../../bundle/message.ts'
import { renderWithin } from './key-file.ts'
import { isItemList, joinEntries, mergeEntry } from './merge-entry.ts'
import { SIDECARS, type SidecarName } from './sidecars.ts'
import { stoodUnapproved, type TextVersion } from './stood-unapproved.ts'

/** Approvals that do not change: of all texts that stay, or new ones of such texts. */
export type HeldApprovals = 'all' | 'new'

/** A sidecar's file of one namespace in a change. */
export interface FollowKeysTask {
  sidecar: SidecarName
  path: string
  /** The file before the change, and as the change has written it. */
  before: Uint8Array | null
  now: Uint8Array | null
  /** The bundle with the keys before and after the change, null when it stayed. */
  keys: { before: Uint8Array | null; after: Uint8Array | null } | null
  renamed: readonly KeyRenaming[]
  /** Keys that were deleted in all languages. */
  deleted: readonly string[]
  /** The earlier state that the change brings back. */
  origin: {
    file: Uint8Array | null
    /** What the undone commit left; undefined for a restore. */
    left?: { file: Uint8Array | null } | undefined
    /** The only key, null for all. */
    key: string | null
    /** Whether only entries of keys that return come back: the change restores the source language alone. */
    onlyReturning: boolean
  } | null
  /** Of marks: which approvals do not change, and the versions since the earlier state. Null where all may. */
  held?: { approvals: HeldApprovals; since: TextVersion[] | null } | null
}

/** The new file, null for none. @throws Failure `too-large` naming the file */
export function followKeys({
  before,
  now,
  keys,
  renamed,
  deleted,
  origin,
  ...task
}: FollowKeysTask): Uint8Array | null {
  const [was, entries] = [entriesIn(before), entriesIn(now)]
  const had = hasKey(keys?.before)
  const has = hasKey(keys?.after)
  // A past state may have a bad file.
  const valid = SIDECARS[task.sidecar].entries
  const then = origin ? valid(origin.file) : new Map()
  const changedSince = new Set<string>()
  if (origin) {
    const left = origin.left ? valid(origin.left.file) : new Map(entries)
    // An entry that was added or changed after the undone commit stays.
    if (origin.left) for (const key of entries.keys()) if (!isSame(left, entries, key)) changedSince.add(key)
    for (const key of new Set([...then.keys(), ...left.keys()])) {
      if (origin.key !== null && origin.key !== key) continue
      if (origin.onlyReturning && (had(key) || !has(key) || entries.has(key))) continue
      if (isList(key, then, left, entries)) {
        if (origin.left) set(entries, key, mergeEntry(left.get(key), entries.get(key), then.get(key)))
        else if (keys && !had(key) && !entries.has(key)) copy(then, entries, key)
      } else if (!isSame(left, then, key) && isSame(left, entries, key)) copy(then, entries, key)
    }
  }
  for (const { from, to } of renamed) {
    if (!was.has(from)) continue
    set(entries, to, joinEntries(entries.get(to), was.get(from)))
    entries.delete(from)
  }
  for (const key of deleted) entries.delete(key)
  for (const key of keys ? [...entries.keys()] : []) {
    // An entry that the change itself wrote or brought back stays.
    if (changedSince.has(key)) continue
    if (had(key) && !has(key) && isSame(was, entries, key) && !then.has(key)) entries.delete(key)
  }
  if (task.held) holdApprovals(was, entries, task.held, textsOf(keys))
  return renderWithin(task.path, entries, [before, now, origin?.file])
}

function hasKey(bytes: Uint8Array | null | undefined): (key: string) => boolean {
  const bundle = bundleIn(bytes ?? null)
  return key => bundle.message(key) !== undefined
}

/** The text of a key after a change, null without one, and whether it stays. */
type TextAfter = (key: string) => { message: Message | null; stays: boolean }

/** Gives each text that stays the approval that it had, or none, and drops approvals that were withdrawn. */
function holdApprovals(
  was: KeyEntries,
  entries: KeyEntries,
  { approvals, since }: NonNullable<FollowKeysTask['held']>,
  textAfter: TextAfter,
): void {
  const isWithdrawn = stoodUnapproved(since)
  for (const key of new Set([...was.keys(), ...entries.keys()])) {
    const [then, now] = [was, entries].map(of => (of.get(key) ?? {}) as KeyMarks)
    const { approved, ...others } = now!
    if (JSON.stringify(then!.approved) === JSON.stringify(approved)) continue
    const { message, stays } = textAfter(key)
    if (stays ? approvals === 'new' && !approved : !approved || (message && !isWithdrawn(message, approved.of)))
      continue
    const marks = { ...(stays && then!.approved && { approved: then!.approved }), ...others }
    set(entries, key, hasNoMarks(marks) ? undefined : marks)
  }
}

function textsOf(keys: FollowKeysTask['keys']): TextAfter {
  if (keys === null) return () => ({ message: null, stays: true })
  const [before, after] = [bundleIn(keys.before), bundleIn(keys.after)]
  return key => {
    const message = after.message(key) ?? null
    return { message, stays: sameMessage(before.message(key) ?? null, message) }
  }
}

const isSame = (a: KeyEntries, b: KeyEntries, key: string): boolean =>
  JSON.stringify(a.get(key)) === JSON.stringify(b.get(key))

/** Whether a key has lists alone in some versions of a file. */
const isList = (key: string, ...versions: KeyEntries[]): boolean =>
  versions.every(entries => !entries.has(key) || isItemList(entries.get(key)))

const copy = (from: KeyEntries, to: KeyEntries, key: string): void => set(to, key, from.get(key))

function set(entries: KeyEntries, key: string, entry: unknown): void {
  if (entry === undefined) entries.delete(key)
  else entries.set(key, entry)
}
