/** Approves texts of a bundle, or withdraws approvals, by bytes alone, for the worker. */
import { bundleIn } from '../../bundle/canonical.ts'
import type { EntryAuthor } from '../../bundle/entry-author.ts'
import { hasNoMarks, withApproval } from '../../bundle/mark.ts'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { renderWithin } from './key-file.ts'
import { marksIn, presentMarks } from './marks-file.ts'
import { ownTexts, type VersionByAuthor } from './own-texts.ts'

/** Texts of a translation. */
export interface ApproveTextsTask {
  /** Of the file of marks. */
  path: string
  /** The files, null where there is none. */
  marks: Uint8Array | null
  source: Uint8Array | null
  target: Uint8Array | null
  /** Null for all texts. */
  keys: readonly string[] | null
  /** The author and the time, null to withdraw approvals. */
  mark: { by: EntryAuthor; at: string } | null
  /** With four eyes: the last versions, which show the reviewer's own texts. Null without the rule. */
  versions: VersionByAuthor[] | null
}

/** A named key that stays as it was. */
export interface SkippedApproval {
  key: string
  why: 'missing' | 'empty' | 'approved' | 'unapproved' | 'own'
}

/** What changed, and the new file, null for none; without a changed key, the file is the stored one. */
export interface ApprovedTexts {
  changed: number
  /** The first changed key. */
  first: string | null
  skipped: SkippedApproval[]
  file: Uint8Array | null
}

/**
 * Marks that do not fit the present texts leave the file with the change.
 * @throws Failure `too-large` naming the file
 */
export function approveTexts({ path, mark, ...task }: ApproveTextsTask): ApprovedTexts {
  const [source, target] = [bundleIn(task.source), bundleIn(task.target)]
  const present = presentMarks(marksIn(task.marks), source, target)
  const skipped: SkippedApproval[] = []
  const changed: string[] = []
  const isOwn = ownTexts(task.versions ?? [])
  for (const key of task.keys ?? target.tree.entries().map(({ key }) => key)) {
    const message = target.message(key)
    const marks = present.get(key)
    const isApproved = marks?.approved !== undefined
    const why = whyNot(message, isApproved, mark !== null) ?? (mark !== null && isOwn(key) ? 'own' : undefined)
    if (why !== undefined) {
      if (task.keys !== null || why === 'own') skipped.push({ key, why })
      continue
    }
    changed.push(key)
    const of = textDigest(source.message(key) ?? null, message!)
    const now = withApproval(marks, mark ? { at: mark.at, by: mark.by, of } : undefined)
    if (hasNoMarks(now)) present.delete(key)
    else present.set(key, now)
  }
  const first = changed[0] ?? null
  const file = first === null ? task.marks : renderWithin(path, present, [task.marks])
  return { changed: changed.length, first, skipped, file }
}

/** Why a text stays as it was; undefined where it does not. */
function whyNot(
  message: Message | undefined,
  isApproved: boolean,
  approves: boolean,
): SkippedApproval['why'] | undefined {
  if (message === undefined) return 'missing'
  if (!approves) return isApproved ? undefined : 'unapproved'
  if (linesOf(partsOf(message)).some(([, text]) => text === '')) return 'empty'
  return isApproved ? 'approved' : undefined
}
