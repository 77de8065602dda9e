/** Holds a change to the reviews of its projects: new texts of those languages are approved, or become suggestions. */
import type { Caller } from '../../auth/access.ts'
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { asBuffer } from '../../bundle/file-change.ts'
import { noRoom } from '../../bundle/suggestion.ts'
import { refuseTwinsOfSidecar } from '../../project/case-twins.ts'
import { idOf, projectIn } from '../../project/layout.ts'
import { type BundleName, bundlePath, ownFile, type Project } from '../../project/project.ts'
import type { DivertedBundle, DivertTextsOutcome, DivertTextsTask } from '../../project/sidecars/divert-texts.ts'
import { sidecarFile, sidecarPath } from '../../project/sidecars/sidecars.ts'
import { TaskFile, type UnreadTask } from '../../project/sidecars/task-file.ts'
import type { ChangeHints } from '../../project/stale-tasks.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { CommitMessage, Transaction } from '../../store/store.ts'
import { entryAuthor } from '../requests/entry-author.ts'
import type { BundleTask, Compute } from './bundle-task.ts'
import { fateOfTexts } from './fate-of-texts.ts'
import { suggestionMessage } from './suggestion-message.ts'
import { unreadTask } from './unread-task.ts'

/** Files looked at between two pauses. */
const STEP = 64

/** What a change says about itself. */
interface ReviewedChange extends ChangeHints {
  message: CommitMessage
}

/** The author of a change, and what is the same in each of its runs. */
export interface ReviewedAuthor {
  caller: Caller
  time: number
  seed: string
}

/**
 * Puts back the texts that wait, with suggestions in their place. `hints` of the change are corrected.
 * @returns the bundles with such texts
 * @throws Failure as `compute` does, `forbidden` for texts of several undone commits, `unfit` if nothing is left to do
 */
export function* reviewTexts<C extends ReviewedChange>(
  change: Transaction,
  changed: C,
  author: ReviewedAuthor,
  compute: Compute,
): Steps<{ changed: C; diverted: DivertedBundle[] }> {
  const found = yield* reviewedBundles(change, author.caller, changed.suggests === true)
  if (found.length === 0) return { changed, diverted: [] }
  const removed = removedFiles(change)
  const tasks: BundleTask<'divertTexts'>[] = []
  for (const one of found) tasks.push(yield* taskOf(change, changed, one, author, removed))
  const outcomes = compute(tasks)
  const waits = ({ bundle }: DivertTextsOutcome) => bundle !== undefined
  const isDiverted = outcomes.some(waits)
  const hints = isDiverted ? yield* withoutSidecars(change, changed, found) : changed
  const diverted: DivertedBundle[] = []
  for (const [at, outcome] of outcomes.entries()) {
    yield
    const { bundle, project } = found[at]!
    putReviewed(change, project, bundle, outcome)
    if (!waits(outcome)) continue
    const { bundle: _, suggestions: __, marks: ___, ...counts } = outcome
    const id = idOf(change, bundle) ?? EMPTY_BUNDLE_ID
    diverted.push({ ...bundle, id, isWhole: !differs(bundlePath(bundle), change), ...counts })
  }
  if (!isDiverted) return { changed, diverted }
  const isPure = !change.changed().some(path => differs(path, change) && sidecarFile(path)?.sidecar !== 'suggestions')
  if (isPure) refuseFull(diverted)
  const message = suggestionMessage(changed.message, diverted, isPure)
  return { changed: { ...hints, message, changes: undefined }, diverted }
}

/** Refuses a change without a text that can be stored. @throws Failure `unfit` naming the first key */
function refuseFull(diverted: readonly DivertedBundle[]): void {
  const first = diverted.find(({ full }) => full.length > 0)
  if (!first || diverted.some(({ suggested }) => suggested > 0)) return
  throw noRoom(first.full[0]!)
}

/** A changed bundle of a language with a review. */
interface ReviewedBundle {
  project: Project
  bundle: BundleName
  /** Whether the author approves what they write. */
  approves: boolean
}

/** The settings before the change count: a project that returns brings its own texts. */
function* reviewedBundles(change: Transaction, caller: Caller, suggests: boolean): Steps<ReviewedBundle[]> {
  const projects = new Map<string, Project | undefined>()
  const found: ReviewedBundle[] = []
  for (const [at, path] of change.changed().entries()) {
    if (at % STEP === STEP - 1) yield
    const file = ownFile(path)
    if (file?.kind !== 'bundle' || change.entry(path) === undefined || !differs(path, change)) continue
    const { slug, language, namespace } = file
    if (!projects.has(slug)) projects.set(slug, projectIn(change.before, slug))
    const project = projects.get(slug)
    const fate = project ? fateOfTexts(project, caller, language, suggests) : 'written'
    if (fate !== 'written') {
      found.push({ project: project!, bundle: { slug, language, namespace }, approves: fate === 'approved' })
    }
  }
  return found
}

const differs = (path: string, change: Transaction) => change.before.entry(path)?.id !== change.entry(path)?.id

/** The removed bundles by blob id: a renamed place, or the undo of its renaming, stores them under another name. */
function removedFiles(change: Transaction): ReadonlyMap<string, BundleName> {
  const removed = new Map<string, BundleName>()
  for (const path of change.changed()) {
    const file = ownFile(path)
    const id = change.before.entry(path)?.id
    if (file?.kind === 'bundle' && id !== undefined && change.entry(path) === undefined) removed.set(id, file)
  }
  return removed
}

function* taskOf(
  change: Transaction,
  { origin }: ChangeHints,
  { project, bundle, approves }: ReviewedBundle,
  { caller, time, seed }: ReviewedAuthor,
  removed: ReadonlyMap<string, BundleName>,
): Steps<BundleTask<'divertTexts'>> {
  const { before } = change
  const [suggestions, marks] = (['suggestions', 'marks'] as const).map(sidecar => sidecarPath({ sidecar, ...bundle }))
  const source = (of: BundleName) => bundlePath({ ...of, language: project.sourceLanguage })
  const movedFrom = removed.get(idOf(change, bundle)!)
  const isMoved = movedFrom?.slug === bundle.slug && isReviewedTo(project, movedFrom, bundle)
  const format = projectIn(change, bundle.slug)?.defaultFormat ?? project.defaultFormat
  const files: UnreadTask<DivertTextsTask> = {
    paths: { suggestions: suggestions!, marks: marks! },
    before: TaskFile.at(bundlePath(bundle), before),
    after: TaskFile.at(bundlePath(bundle), change),
    source: { before: TaskFile.at(source(bundle), before), after: TaskFile.at(source(bundle), change) },
    moved: isMoved
      ? { target: TaskFile.at(bundlePath(movedFrom), before), source: TaskFile.at(source(movedFrom), before) }
      : null,
    suggestions: TaskFile.at(suggestions!, change),
    marks: TaskFile.at(marks!, change),
    ...(origin?.part.slug === bundle.slug
      ? { marksThen: TaskFile.at(marks!, origin.state), since: approves ? [] : yield* origin.since(bundle) }
      : { marksThen: null, since: null }),
    formats: { before: project.defaultFormat, after: format },
    ...{ author: entryAuthor(caller), approves, time, seed },
  }
  return unreadTask('divertTexts', bundle, idOf(before, bundle), { files, format })
}

/** Whether the texts of a language were reviewed as those of another one are. */
const isReviewedTo = ({ review }: Project, from: BundleName, to: BundleName): boolean =>
  from.language === to.language || review?.[from.language] !== undefined

function putReviewed(
  change: Transaction,
  project: Project,
  bundle: BundleName,
  { bundle: file, suggestions, marks }: DivertTextsOutcome,
): void {
  const put = (path: string, bytes: Uint8Array | null) => {
    if (bytes === null) change.remove(path)
    else if (!change.read(path)?.equals(bytes)) change.put(path, asBuffer(bytes))
  }
  if (file !== undefined) put(bundlePath(bundle), file)
  for (const [sidecar, bytes] of [['suggestions', suggestions] as const, ['marks', marks] as const]) {
    if (bytes === undefined) continue
    const place = { sidecar, ...bundle }
    if (bytes !== null && change.entry(sidecarPath(place)) === undefined) refuseTwinsOfSidecar(change, project, place)
    put(sidecarPath(place), bytes)
  }
}

/** The change without its own sidecars, which belong to texts that wait: they follow again from what is written. */
function* withoutSidecars<C extends ReviewedChange>(
  change: Transaction,
  changed: C,
  found: readonly ReviewedBundle[],
): Steps<C> {
  if (!changed.hasSidecars) return changed
  if (!changed.origin) {
    const languages = [...new Set(found.map(({ bundle }) => bundle.language))].sort()
    const advice = 'ask a reviewer, or undo one commit at a time'
    throw new Failure('forbidden', `This writes texts of ${quoteSome(languages)}, which need a review: ${advice}.`)
  }
  for (const path of change.changed()) {
    yield
    if (!sidecarFile(path)) continue
    const bytes = change.before.read(path)
    if (bytes === undefined) change.remove(path)
    else change.put(path, bytes)
  }
  return { ...changed, hasSidecars: false }
}
