/** Applies requested changes of keys to a state: renames, deletes and sets them, all or nothing. */
import type { Caller } from '../auth/access.ts'
import { hasLevel, mayTranslate, rightsToWrite } from '../auth/rights.ts'
import { EMPTY_BUNDLE_ID } from '../bundle/canonical.ts'
import type { ChangedTexts } from '../bundle/change-texts.ts'
import type { CommitAction } from '../bundle/commit-subject.ts'
import { quoteSome } from '../bundle/complaints.ts'
import { type BundleChange, countChanges, sameMessage } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import { refuseTwinsAmong } from '../project/case-twins.ts'
import type { JudgeTextsTask } from '../project/judge-texts.ts'
import { bundleAt, hasBundle, idOf, languagesOf } from '../project/layout.ts'
import { readTask, type TaskReads } from '../project/precompute.ts'
import { type BundleName, bundlePath, type Project } from '../project/project.ts'
import { sidecarPath } from '../project/sidecars/sidecars.ts'
import { readFiles, TaskFile, type UnreadTask } from '../project/sidecars/task-file.ts'
import type { ChangeHints } from '../project/stale-tasks.ts'
import { nameOfRules, textRulesIn } from '../project/text-rules.ts'
import type { Steps } from '../scheduling/steps.ts'
import type { CommitMessage, Transaction } from '../store/store.ts'
import { renameKeyEverywhere } from './manage.ts'
import { entryAuthor } from './requests/entry-author.ts'
import { putFile } from './writes.ts'
import { computeAfterSource } from './writing/beside-source.ts'
import type { BundleTask, Compute } from './writing/bundle-task.ts'
import { commitMessage } from './writing/commit-message.ts'
import type { RequestedChanges } from './writing/requested-changes.ts'
import { putSidecar } from './writing/sidecar-file.ts'

/** Namespaces that a commit names. */
const MAX_NAMED_NAMESPACES = 100
/** Faults that a sentence names. */
const NAMED = 10

/** What becomes of a key in a language. */
export interface ChangeRow extends BundleChange {
  result: 'added' | 'updated' | 'unchanged' | 'removed' | 'renamed' | 'suggested' | 'refused'
  reason?: string
}

interface ChangeContext {
  state: Transaction
  compute: Compute
  project: Project
  caller: Caller
}

interface ApplyOptions {
  /** The revision of the plan. */
  on: string | undefined
  /** Reports refusals by key instead of throwing the first ones. */
  isDryRun: boolean
  /** Set where texts must pass the gate, and are marked: the time, UTC, to the second. */
  machineAt: string | undefined
  subject: string | undefined
}

type Applied = ChangeHints & {
  rows: ChangeRow[]
  message: CommitMessage
}

/**
 * @throws Failure `conflict` naming the keys that changed since the plan, `unfit` naming refused texts, `not-found` for
 * a key that no language has
 */
export function* applyChanges(context: ChangeContext, asked: RequestedChanges, options: ApplyOptions): Steps<Applied> {
  const changed = options.on === undefined ? [] : yield* changedSince(context, asked, options.on)
  if (changed.length > 0) throw outdated(changed)
  if (asked.rename !== null) return yield* rename(context, asked.rename, options)
  const parts = yield* bundleParts(context, asked)
  const outcomes = computeAfterSource(parts, context, context.compute, one => ('refused' in one ? undefined : one.file))
  const rows = parts.flatMap((part, at) => rowsOf(context, part, outcomes[at]!))
  refuseMissing(asked, rows)
  yield* put(context, parts, outcomes)
  const refused = options.machineAt === undefined ? [] : yield* judge(context, rows, options.machineAt)
  for (const [row, reason] of refused) Object.assign(row, { result: 'refused', reason })
  if (rows.some(({ result }) => result === 'refused')) {
    if (!options.isDryRun) throw refusal(rows)
    // The checks of the project would refuse the whole plan for the same faults.
    for (const { bundle } of parts) takeBack(context.state, bundlePath(bundle))
  }
  const [only, ...others] = asked.delete
  const isOnly = only !== undefined && others.length === 0 && asked.set.length === 0
  const { slug } = context.project
  return { rows, message: describe(slug, asked, rows, options.subject), ...(isOnly && { deleted: { slug, ...only } }) }
}

/** A changed file, and the keys that are named in it. */
type ChangePart = BundleTask<'changeTexts'> & { keys: string[] }

/** The keys that a plan concerns, and that differ from what they were. */
function* changedSince(
  { state, compute, project }: ChangeContext,
  { set, delete: removed, rename }: RequestedChanges,
  revision: string,
): Steps<(BundleName & { key: string })[]> {
  const { slug } = project
  const then = state.at(revision)
  const keys = new Map<string, { bundle: BundleName; keys: Set<string> }>()
  const add = (bundle: BundleName, key: string) => {
    const path = bundlePath(bundle)
    if (!keys.has(path)) keys.set(path, { bundle, keys: new Set() })
    keys.get(path)!.keys.add(key)
  }
  const languages = new Set([...languagesOf(state, project), ...languagesOf(then, project)])
  for (const { language, namespace, key } of set) add({ slug, language, namespace }, key)
  for (const language of languages) {
    for (const { namespace, key } of removed) add({ slug, language, namespace }, key)
    if (rename) for (const key of [rename.from, rename.to]) add({ slug, language, namespace: rename.namespace }, key)
  }
  yield
  const touched = [...keys.values()].filter(({ bundle }) => idOf(state, bundle) !== idOf(then, bundle))
  const answers = compute(
    touched.map(({ bundle, keys }) => {
      const path = bundlePath(bundle)
      const files = { was: TaskFile.at(path, then), now: TaskFile.at(path, state), keys: [...keys] }
      return unreadTask('differingKeys', bundle, files, idOf(state, bundle))
    }),
  )
  return touched.flatMap(({ bundle }, at) => answers[at]!.map(key => ({ ...bundle, key })))
}

/** A task over files, by their ids until it runs. @param more what files are not */
function unreadTask<N extends 'differingKeys' | 'judgeTexts'>(
  name: N,
  bundle: BundleName,
  files: object,
  id: string | null,
  more: { input: object; name: string } = { input: {}, name: '' },
): BundleTask<N> {
  const read = () => readFiles(files) as TaskReads<object>
  return {
    ...{ name, bundle, id: id ?? EMPTY_BUNDLE_ID, format: 'i18next-json', readsNoFile: true, extraBytes: read },
    variant: `${JSON.stringify(files)} ${more.name}`,
    task: () => ({ ...readTask(read()), ...more.input }) as ReturnType<BundleTask<N>['task']>,
  }
}

function* bundleParts({ state, project }: ChangeContext, asked: RequestedChanges): Steps<ChangePart[]> {
  const { slug, defaultFormat: format } = project
  const parts = new Map<string, { bundle: BundleName; texts: [string, string][]; keys: string[]; removes: string[] }>()
  const partFor = (bundle: BundleName) => {
    const path = bundlePath(bundle)
    if (!parts.has(path)) parts.set(path, { bundle, texts: [], keys: [], removes: [] })
    return parts.get(path)!
  }
  for (const { language, namespace, key, leaves } of asked.set) {
    const part = partFor({ slug, language, namespace })
    part.texts.push(...leaves)
    part.keys.push(key)
  }
  for (const { namespace, key } of asked.delete) {
    for (const language of languagesOf(state, project)) {
      const bundle = { slug, language, namespace }
      if (hasBundle(state, bundle)) partFor(bundle).removes.push(key)
    }
    yield
  }
  return [...parts.values()].map(({ bundle, texts, keys, removes }) => {
    const body = Buffer.from(JSON.stringify(Object.fromEntries(texts)))
    return {
      ...{ name: 'changeTexts', bundle, id: bundleAt(state, bundle).id, format },
      keys: [...new Set([...keys, ...removes])],
      variant: `${JSON.stringify(removes)} ${body}`,
      task: stored => ({ stored, language: bundle.language, texts: body, removes }),
    }
  })
}

function rowsOf(
  { project, caller }: ChangeContext,
  { bundle, keys }: ChangePart,
  outcome: ChangedTexts | { refused: string },
): ChangeRow[] {
  const { language, namespace } = bundle
  if ('refused' in outcome) {
    return keys.map(key => ({
      language,
      namespace,
      key,
      before: null,
      after: null,
      result: 'refused',
      reason: outcome.refused,
    }))
  }
  const isWaiting = becomesSuggestion(project, caller, language)
  return outcome.changes.flatMap(({ key, before, after }): ChangeRow[] => {
    const row = { language, namespace, key, before, after }
    if (before === null && after === null) return []
    if (sameMessage(before, after)) return [{ ...row, result: 'unchanged' }]
    if (after === null) return [{ ...row, result: 'removed' }]
    return [{ ...row, result: isWaiting ? 'suggested' : before === null ? 'added' : 'updated' }]
  })
}

/** As `reviewTexts` decides. */
function becomesSuggestion({ slug, sourceLanguage, review }: Project, caller: Caller, language: string): boolean {
  const rights = rightsToWrite(caller)
  const target = { project: slug, language }
  if (language === sourceLanguage || !hasLevel(rights, target, 'suggest')) return false
  if (!mayTranslate(rights, target)) return true
  const own = review?.[language]
  return own !== undefined && (own.fourEyes === true || !hasLevel(rights, target, 'review'))
}

function refuseMissing({ delete: removed }: RequestedChanges, rows: readonly ChangeRow[]): void {
  const there = new Set(rows.map(({ namespace, key }) => JSON.stringify([namespace, key])))
  const missing = removed.filter(({ namespace, key }) => !there.has(JSON.stringify([namespace, key])))
  if (missing.length === 0) return
  throw new Failure('not-found', `No language has ${quoteSome(missing.map(({ key }) => key))}.`)
}

function* put(
  { state, project }: ChangeContext,
  parts: readonly ChangePart[],
  outcomes: readonly (ChangedTexts | { refused: string })[],
): Steps<void> {
  const files = parts.flatMap(({ bundle, id }, at) => {
    const outcome = outcomes[at]!
    return 'refused' in outcome ? [] : [{ bundle, id, file: outcome.file }]
  })
  const coming = files.filter(({ bundle, file }) => file.kind === 'written' && !hasBundle(state, bundle))
  const going = files.filter(({ file }) => file.kind === 'removed').map(({ bundle }) => bundlePath(bundle))
  yield* refuseTwinsAmong(
    state,
    project,
    coming.map(({ bundle }) => bundle),
    going,
  )
  for (const { bundle, id, file } of files) {
    putFile(state, bundle, file, id)
    yield
  }
}

/** The rows that the gate refuses. Marks the others. */
function* judge(
  { state, compute, project, caller }: ChangeContext,
  rows: readonly ChangeRow[],
  at: string,
): Steps<[ChangeRow, string][]> {
  const { slug, sourceLanguage } = project
  const byBundle = new Map<string, { bundle: BundleName; rows: ChangeRow[] }>()
  for (const row of rows) {
    const { language, namespace } = row
    if (language === sourceLanguage || row.result === 'unchanged' || row.after === null) continue
    const bundle = { slug, language, namespace }
    const path = bundlePath(bundle)
    if (!byBundle.has(path)) byBundle.set(path, { bundle, rows: [] })
    byBundle.get(path)!.rows.push(row)
  }
  yield
  const judged = [...byBundle.values()]
  const by = entryAuthor(caller)
  const rules = textRulesIn(state, project)
  const tasks = judged.map(({ bundle, rows }) => {
    const { language, namespace } = bundle
    const place = { slug, sidecar: 'marks', language, namespace } as const
    const file = (path: string) => TaskFile.at(path, state)
    const isMarked = !becomesSuggestion(project, caller, language)
    const files: UnreadTask<Omit<JudgeTextsTask, 'rules'>> = {
      path: sidecarPath(place),
      source: file(bundlePath({ ...bundle, language: sourceLanguage })),
      target: file(bundlePath(bundle)),
      marks: file(sidecarPath(place)),
      notes: file(sidecarPath({ slug, sidecar: 'notes', namespace })),
      keys: rows.map(({ key }) => key),
      mark: isMarked ? { by, at } : null,
      ...{ sourceLanguage, language },
    }
    return unreadTask('judgeTexts', bundle, files, idOf(state.before, bundle), {
      input: { rules },
      name: nameOfRules(rules),
    })
  })
  const refused: [ChangeRow, string][] = []
  for (const [index, answer] of compute(tasks).entries()) {
    const { bundle, rows } = judged[index]!
    const { language, namespace } = bundle
    const isMarked = !becomesSuggestion(project, caller, language)
    if (isMarked) putSidecar(state, project, { slug, sidecar: 'marks', language, namespace }, answer.marks)
    const reasons = new Map(answer.refused.map(({ key, reason }) => [key, reason]))
    for (const row of rows) if (reasons.has(row.key)) refused.push([row, reasons.get(row.key)!])
    yield
  }
  return refused
}

function takeBack(state: Transaction, path: string): void {
  const bytes = state.before.read(path)
  if (bytes === undefined) state.remove(path)
  else state.put(path, bytes)
}

function* rename(
  { state, compute, project }: ChangeContext,
  names: NonNullable<RequestedChanges['rename']>,
  { subject }: ApplyOptions,
): Steps<Applied> {
  const { result, message, renamed } = yield* renameKeyEverywhere(state, compute, project, names)
  const { namespace, from: key } = names
  const rows = result.map(
    (language): ChangeRow => ({ language, namespace, key, before: null, after: null, result: 'renamed' }),
  )
  return { rows, renamed, message: { ...message, ...(subject !== undefined && { subject }) } }
}

function outdated(changed: readonly (BundleName & { key: string })[]): Failure {
  const places = [...new Set(changed.map(({ language, namespace }) => `${language}/${namespace}`))]
  const keys = [...new Set(changed.map(({ key }) => key))]
  const words = `${quoteSome(keys)} in ${places.slice(0, NAMED).join(', ')}`
  return new Failure('conflict', `The plan is out of date: ${words} changed since. Create a new plan.`)
}

function refusal(rows: readonly ChangeRow[]): Failure {
  const refused = rows.filter(({ result }) => result === 'refused')
  const named = refused
    .slice(0, NAMED)
    .map(({ language, namespace, key, reason }) => `${language}/${namespace} ${quoteSome([key])}: ${reason}`)
  const more = refused.length - named.length
  return new Failure('unfit', `${named.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`)
}

function describe(
  slug: string,
  { delete: removed, set }: RequestedChanges,
  rows: readonly ChangeRow[],
  subject?: string,
): CommitMessage {
  const changed = rows.filter(({ result }) => result !== 'unchanged' && result !== 'refused')
  const counts = countChanges(changed)
  const named = (part: 'language' | 'namespace') => [...new Set(changed.map(row => row[part]))].sort()
  const [languages, namespaces] = [named('language'), named('namespace')]
  const about = {
    ...{ slug, languages, namespaces: namespaces.length > MAX_NAMED_NAMESPACES ? [] : namespaces },
    counts: { ...counts, removed: counts.removed || undefined },
  }
  if (subject !== undefined) return commitMessage({ text: subject }, about)
  if (removed.length === 1 && set.length === 0) {
    const { namespace, key } = removed[0]!
    return commitMessage({ slug, namespace, kind: 'delete', key }, about)
  }
  const bundles = new Set(changed.map(({ language, namespace }) => `${language}/${namespace}`))
  const part = bundles.size === 1 ? { language: languages[0], namespace: namespaces[0] } : {}
  const action: CommitAction =
    changed.length === 1
      ? { kind: counts.added ? 'add' : counts.updated ? 'update' : 'remove', key: changed[0]!.key }
      : { kind: 'push', ...counts, ...(bundles.size > 1 && { bundles: bundles.size }) }
  return commitMessage({ slug, ...part, ...action }, about)
}
