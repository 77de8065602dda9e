/**
 * Holds a change of a reviewed translation to its author's right, by bytes alone, for the worker. New texts of a
 * reviewer are written and approved. Those of another author become suggestions, and the bundle is written without
 * them.
 */
import { bundleIn, parseBundle, renderBundle } from '../../bundle/canonical.ts'
import { diffBundles, type KeyChange } from '../../bundle/diff.ts'
import type { EntryAuthor } from '../../bundle/entry-author.ts'
import { mostBytes } from '../../bundle/file-size.ts'
import { secondOf, withApproval } from '../../bundle/mark.ts'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import { Bundle, inFormat } from '../../bundle/resource.ts'
import { setMessages } from '../../bundle/set-messages.ts'
import { isBlank, withEarlierForms } from '../../bundle/suggestion.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import type { BundleName } from '../project.ts'
import { renderWithin } from './key-file.ts'
import { marksIn, presentMarks } from './marks-file.ts'
import { stoodUnapproved, type TextVersion } from './stood-unapproved.ts'
import { addSuggestion, suggestionId, suggestionsIn } from './suggestions-file.ts'

/** A translation's file in a change, null where there is none, and the files beside it. */
export interface DivertTextsTask {
  /** Of the files of suggestions and marks. */
  paths: { suggestions: string; marks: string }
  before: Uint8Array | null
  after: Uint8Array | null
  source: { before: Uint8Array | null; after: Uint8Array | null }
  /** A file that the change removes and that has the same content, with its source: a renamed place. */
  moved: { target: Uint8Array | null; source: Uint8Array | null } | null
  suggestions: Uint8Array | null
  marks: Uint8Array | null
  /** The marks in the earlier state that the change brings back. */
  marksThen: Uint8Array | null
  /** The versions since that state; null where they are not known. */
  since: TextVersion[] | null
  formats: { before: Format; after: Format }
  author: EntryAuthor
  /** Whether the author approves what they write. */
  approves: boolean
  /** Milliseconds since 1970. */
  time: number
  /** Random; the ids of suggestions follow from it. */
  seed: string
}

/** What becomes of the files: null for none, undefined where the change's own file stays. */
export interface DivertTextsOutcome {
  /** Texts that wait as suggestions, with those that waited already. */
  suggested: number
  /** The key of the first one. */
  key: string | null
  /** Keys that have as many suggestions of others as they can have: their texts neither wait nor are written. */
  full: string[]
  /** The keys that the bundle does not get: they were absent, or had another text. */
  added: number
  updated: number
  bundle?: Uint8Array | null
  suggestions?: Uint8Array | null
  marks?: Uint8Array | null
}

/** A bundle with texts that wait for a review. */
export interface DivertedBundle extends BundleName, Omit<DivertTextsOutcome, 'bundle' | 'suggestions' | 'marks'> {
  /** Its blob id without them. */
  id: string
  /** Whether nothing of it is written. */
  isWhole: boolean
}

/** @throws Failure `unfit` for a gap in an array; `too-large` naming the file */
export function divertTexts(task: DivertTextsTask): DivertTextsOutcome {
  const { formats, approves } = task
  const [before, source] = [bundleOf(task.before, formats.before), bundleIn(task.source.after)]
  const [was, now] = [inFormat(before, formats.after), bundleOf(task.after, formats.after)]
  const changes = diffBundles(was, now)
  const fresh = newTexts(task, changes, source)
  const outcome: DivertTextsOutcome = { suggested: 0, key: null, full: [], added: 0, updated: 0 }
  if (fresh.length === 0) return outcome
  if (approves) return { ...outcome, marks: approved(task, fresh, source, now) }
  const suggesting = fresh.filter(({ before, after }) => before !== null || !isBlank(after!))
  const { file, full } = suggestionsOf(task, suggesting, source)
  const suggested = suggesting.filter(({ key }) => !full.includes(key))
  const added = fresh.filter(({ before }) => before === null).length
  return {
    ...outcome,
    ...{ suggested: suggested.length, key: suggested[0]?.key ?? null, full, added, updated: fresh.length - added },
    bundle: withoutTexts(task, { was, now, fresh, isAll: fresh.length === changes.length }),
    suggestions: file,
  }
}

const bundleOf = (bytes: Uint8Array | null, format: Format): Bundle =>
  bytes === null ? Bundle.empty(format) : parseBundle(bytes, format)

/**
 * The changes that bring a text which no one has reviewed. A removal brings none, nor does a text that moved with its
 * source, or that was approved beside the same source.
 */
function newTexts(task: DivertTextsTask, changes: readonly KeyChange[], source: Bundle): KeyChange[] {
  const sourceThen = bundleIn(task.source.before)
  const known = new Set<string>()
  const add = (source: Bundle, key: string, message: Message) =>
    known.add(textDigest(source.message(key) ?? null, message))
  for (const { key, before, after } of changes) if (after === null) add(sourceThen, key, before!)
  if (task.moved) {
    const movedSource = bundleIn(task.moved.source)
    for (const { key, message } of bundleIn(task.moved.target).rows()) add(movedSource, key, message)
  }
  const [marks, marksThen] = [task.marks, task.marksThen].map(marksIn)
  const isWithdrawn = stoodUnapproved(task.since)
  return changes.filter(({ key, before, after }) => {
    if (after === null || isPart(after, before)) return false
    const of = textDigest(source.message(key) ?? null, after)
    if (known.has(of) || marks!.get(key)?.approved?.of === of) return false
    return marksThen!.get(key)?.approved?.of !== of || isWithdrawn(after, of)
  })
}

/** Whether a message has texts of another one alone: forms were removed. */
function isPart(message: Message, whole: Message | null): boolean {
  const lines = new Map(linesOf(partsOf(whole)))
  return linesOf(partsOf(message)).every(([ending, text]) => lines.get(ending) === text)
}

/** The file of marks with approvals of new texts. */
function approved(
  { paths, marks: stored, author: by, time }: DivertTextsTask,
  fresh: readonly KeyChange[],
  source: Bundle,
  target: Bundle,
): Uint8Array | null {
  const marks = presentMarks(marksIn(stored), source, target)
  for (const { key, after } of fresh) {
    if (isBlank(after!)) continue
    const of = textDigest(source.message(key) ?? null, after!)
    marks.set(key, withApproval(marks.get(key), { at: secondOf(new Date(time)), by, of }))
  }
  return renderWithin(paths.marks, marks, [stored])
}

/** The bundle's file without new texts: as it was, or with the other changes. */
function withoutTexts(
  { before, after, formats }: DivertTextsTask,
  { was, now, fresh, isAll }: { was: Bundle; now: Bundle; fresh: readonly KeyChange[]; isAll: boolean },
): Uint8Array | null {
  if (isAll && formats.before === formats.after) return before
  const back = new Map(fresh.map(({ key, before }) => [key, before]))
  const bundle = setMessages(now, back, { other: was })
  return bundle.size === 0 ? null : renderBundle(bundle, mostBytes(before, after))
}

function suggestionsOf(
  { paths, suggestions: stored, author: by, time, seed }: DivertTextsTask,
  fresh: readonly KeyChange[],
  source: Bundle,
): { file: Uint8Array | null; full: string[] } {
  const all = suggestionsIn(stored)
  const full: string[] = []
  let isChanged = false
  for (const { key, before, after } of fresh) {
    const list = all.get(key) ?? []
    const original = source.message(key) ?? null
    const id = suggestionId(seed, paths.suggestions, key)
    const asked = { id, message: after!, by, at: new Date(time).toISOString(), of: textDigest(original, after!) }
    const suggestion = withEarlierForms(list, asked, { before, source: original })
    const result = addSuggestion(all, key, suggestion)
    if (result === 'full') full.push(key)
    else isChanged ||= result === 'added'
  }
  return { file: isChanged ? renderWithin(paths.suggestions, all, [stored]) : stored, full }
}
