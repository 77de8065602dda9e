/** Applies requested changes of keys to a state: renames, deletes and sets them, all or nothing. */
import type { ChangedTexts } from '../bundle/change-texts.ts'
import type { CommitAction } from '../bundle/commit-subject.ts'
import { quoteSome } from '../bundle/complaints.ts'
import { countChanges, sameMessage } from '../bundle/diff.ts'
import type { KeyRenaming } from '../bundle/edit-key.ts'
import { Failure } from '../bundle/errors.ts'
import type { FileChange } from '../bundle/file-change.ts'
import { refuseTwinsAmong } from '../project/case-twins.ts'
import { bundleAt, hasBundle, languagesByNamespace } from '../project/layout.ts'
import { type BundleName, bundlePath } from '../project/project.ts'
import type { ChangeHints } from '../project/stale-tasks.ts'
import { inSteps, type Steps } from '../scheduling/steps.ts'
import type { CommitMessage, Transaction } from '../store/store.ts'
import type { TaskAnswer } from '../worker/tasks.ts'
import { putFile } from './writes.ts'
import { computeAfterSource } from './writing/beside-source.ts'
import type { BundleTask } from './writing/bundle-task.ts'
import { commitMessage, namedNamespaces } from './writing/commit-message.ts'
import { fateOfTexts } from './writing/fate-of-texts.ts'
import { type ChangeContext, type ChangeRow, judgeRows } from './writing/judge-rows.ts'
import { refuseChangedSince } from './writing/refuse-changed-since.ts'
import type { RequestedChanges } from './writing/requested-changes.ts'

/** Faults that a sentence names. */
const NAMED = 10
/** Texts that one request deletes or renames, by key and language. The answer has a row for each. */
const MOST_MOVING = 20_000

interface ApplyOptions {
  /** The revision of the plan. */
  on?: string | undefined
  /** Reports refusals by key instead of throwing the first ones. */
  isDryRun?: boolean
  /** Set where texts must pass the gate, and are marked: the time, UTC, to the second. */
  machineAt?: string | undefined
  subject?: string | undefined
}

type Applied = ChangeHints & {
  rows: ChangeRow[]
  message: CommitMessage
}

/**
 * @throws Failure `conflict` naming the keys that changed since the plan, `unfit` naming refused texts. `not-found` for
 * a key that no language has, `too-large` for more than {@link MOST_MOVING} texts.
 */
export function* applyChanges(
  context: ChangeContext,
  asked: RequestedChanges,
  options: ApplyOptions = {},
): Steps<Applied> {
  if (options.on !== undefined) yield* refuseChangedSince(options.on, asked, context)
  const tasks = yield* bundleTasks(context, asked)
  const fileOf = (one: TaskAnswer<'changeTexts'>) => ('refused' in one ? undefined : one.file)
  const outcomes = yield* computeAfterSource(tasks, context, context.compute, fileOf)
  const parts = tasks.map(({ bundle, id, keys }, at) => ({ bundle, id, keys, outcome: outcomes[at]! }))
  const rows = (yield* inSteps(parts, part => rowsOf(context, part))).flat()
  refuseMissing(context.project.slug, asked, rows)
  const changed = parts.flatMap(({ outcome, ...part }) => ('refused' in outcome ? [] : [{ ...part, ...outcome }]))
  refuseTaken(changed)
  yield* put(context, changed)
  const refused = options.machineAt === undefined ? [] : yield* judgeRows(context, rows, options.machineAt)
  for (const [row, reason] of refused) Object.assign(row, { result: 'refused', reason })
  if (rows.some(({ result }) => result === 'refused')) {
    if (!options.isDryRun) throw refusal(rows)
    // The checks of the project would refuse the whole plan for the same faults.
    for (const { bundle } of changed) takeBack(context.state, bundlePath(bundle))
  }
  const { slug } = context.project
  return {
    ...{ rows, message: describe(slug, asked, rows, options.subject) },
    deleted: asked.delete.map(one => ({ slug, ...one })),
    renamed: asked.rename.map(one => ({ slug, ...one })),
  }
}

/** The keys that a request names in a file, and what becomes of the file. */
interface ChangePart {
  bundle: BundleName
  /** Blob id of the stored file. */
  id: string
  keys: string[]
  outcome: ChangedTexts | { refused: string }
}

type ChangedPart = Omit<ChangePart, 'outcome'> & ChangedTexts

/** What a request asks of one file. */
interface AskedPart {
  bundle: BundleName
  texts: [string, string][]
  /** Of the texts. */
  keys: string[]
  removes: string[]
  renames: KeyRenaming[]
}

function* bundleTasks(
  { state, project }: ChangeContext,
  asked: RequestedChanges,
): Steps<(BundleTask<'changeTexts'> & { keys: string[] })[]> {
  const { slug, defaultFormat: format } = project
  const parts = new Map<string, AskedPart>()
  const partFor = (bundle: BundleName) => {
    const path = bundlePath(bundle)
    if (!parts.has(path)) parts.set(path, { bundle, texts: [], keys: [], removes: [], renames: [] })
    return parts.get(path)!
  }
  for (const { language, namespace, key, leaves } of asked.set) {
    const part = partFor({ slug, language, namespace })
    part.texts.push(...leaves)
    part.keys.push(key)
  }
  const moved = new Set([...asked.delete, ...asked.rename].map(({ namespace }) => namespace))
  const languages = yield* languagesByNamespace(state, slug, moved)
  let moving = 0
  const partsOf = (namespace: string) => {
    const found = languages.get(namespace)!.map(language => partFor({ slug, language, namespace }))
    moving += found.length
    if (moving > MOST_MOVING) throw tooManyTexts()
    return found
  }
  for (const { namespace, key } of asked.delete) {
    for (const part of partsOf(namespace)) part.removes.push(key)
    yield
  }
  for (const { namespace, from, to } of asked.rename) {
    for (const part of partsOf(namespace)) part.renames.push({ from, to })
    yield
  }
  return yield* inSteps(parts.values(), ({ bundle, texts, keys, removes, renames }) => {
    const body = Buffer.from(JSON.stringify(Object.fromEntries(texts)))
    return {
      ...{ name: 'changeTexts', bundle, id: bundleAt(state, bundle).id, format },
      keys: [...new Set([...keys, ...removes, ...renames.map(({ from }) => from)])],
      variant: `${JSON.stringify([removes, renames])} ${body}`,
      task: stored => ({ stored, language: bundle.language, texts: body, removes, renames }),
    }
  })
}

function rowsOf({ project, caller }: ChangeContext, { bundle, keys, outcome }: ChangePart): ChangeRow[] {
  const { language, namespace } = bundle
  const none = { language, namespace, before: null, after: null }
  if ('refused' in outcome) return keys.map(key => ({ ...none, key, result: 'refused', reason: outcome.refused }))
  const isWaiting = fateOfTexts(project, caller, language, true) === 'suggested'
  const moved = outcome.renamed.map((key): ChangeRow => ({ ...none, key, result: 'renamed' }))
  const changed = outcome.changes.flatMap(({ key, before, after }): ChangeRow[] => {
    const row = { language, namespace, key, before, after }
    if (before === null && after === null) return []
    if (sameMessage(before, after)) return [{ ...row, result: 'unchanged' }]
    if (after === null) return [{ ...row, result: 'removed' }]
    return [{ ...row, result: isWaiting ? 'suggested' : before === null ? 'added' : 'updated' }]
  })
  return [...moved, ...changed]
}

const tooManyTexts = () =>
  new Failure(
    'too-large',
    `This would delete or rename more than ${MOST_MOVING.toLocaleString('en')} texts, counted by key and language, the ` +
      'maximum for one request: name fewer keys at once.',
  )

/** @throws Failure `conflict` for a new name that a language has */
function refuseTaken(parts: readonly ChangedPart[]): void {
  const key = parts.flatMap(({ taken }) => taken)[0]
  if (key === undefined) return
  const languages = parts.flatMap(({ bundle, taken }) => (taken.includes(key) ? [bundle.language] : []))
  throw new Failure('conflict', `There is a key ${quoteSome([key])} already, in ${quoteSome(languages)}.`)
}

function refuseMissing(slug: string, { delete: removed, rename }: RequestedChanges, rows: readonly ChangeRow[]): void {
  const name = (namespace: string, key: string) => JSON.stringify([namespace, key])
  const there = new Set(rows.map(({ namespace, key }) => name(namespace, key)))
  const named = [...removed, ...rename.map(({ namespace, from: key }) => ({ namespace, key }))]
  const missing = named.filter(({ namespace, key }) => !there.has(name(namespace, key)))
  const [first] = missing
  if (first === undefined) return
  const keys = missing.flatMap(({ namespace, key }) => (namespace === first.namespace ? [key] : []))
  const where = `in namespace "${first.namespace}" of project "${slug}"`
  throw new Failure('not-found', `No language has the key ${quoteSome(keys)} ${where}.`)
}

function* put({ state, project }: ChangeContext, parts: readonly ChangedPart[]): Steps<void> {
  const bundlesOf = (kind: FileChange['kind']) => parts.flatMap(one => (one.file.kind === kind ? [one.bundle] : []))
  const coming = bundlesOf('written').filter(bundle => !hasBundle(state, bundle))
  yield* refuseTwinsAmong(state, project, coming, bundlesOf('removed').map(bundlePath))
  for (const { bundle, id, file } of parts) {
    putFile(state, bundle, file, id)
    yield
  }
}

function takeBack(state: Transaction, path: string): void {
  const bytes = state.before.read(path)
  if (bytes === undefined) state.remove(path)
  else state.put(path, bytes)
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
  { delete: removed, set, rename }: RequestedChanges,
  rows: readonly ChangeRow[],
  subject?: string,
): CommitMessage {
  const changed = rows.filter(({ result }) => result !== 'unchanged' && result !== 'refused')
  const moved = changed.filter(({ result }) => result === 'renamed').length
  const counts = countChanges(changed)
  // A new name counts as added there, and the old one goes.
  counts.removed += moved
  const named = (part: 'language' | 'namespace') => [...new Set(changed.map(row => row[part]))].sort()
  const [languages, namespaces] = [named('language'), named('namespace')]
  const about = {
    ...{ slug, languages, namespaces: namedNamespaces(namespaces) },
    counts: { ...counts, removed: counts.removed || undefined },
  }
  if (subject !== undefined) return commitMessage({ text: subject }, about)
  const [deletion, renaming] = [removed[0], rename[0]]
  if (set.length === 0 && removed.length + rename.length === 1) {
    if (deletion) return commitMessage({ slug, kind: 'delete', ...deletion }, about)
    const { namespace, from: key, to } = renaming!
    return commitMessage({ slug, namespace, kind: 'rename', key, to }, about)
  }
  const bundles = new Set(changed.map(({ language, namespace }) => `${language}/${namespace}`)).size
  const part = bundles === 1 ? { language: languages[0], namespace: namespaces[0] } : {}
  const action: CommitAction =
    changed.length === 1 && moved === 0
      ? { kind: counts.added ? 'add' : counts.updated ? 'update' : 'remove', key: changed[0]!.key }
      : { kind: 'push', ...counts, ...(bundles > 1 && { bundles }) }
  return commitMessage({ slug, ...part, ...action }, about)
}
