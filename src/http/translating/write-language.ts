/** Writes the results of a language in one commit. All is decided again on the newest state. */
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../auth/access.ts'
import { asBuffer } from '../../bundle/file-change.ts'
import { bytesIn } from '../../bundle/work.ts'
import { refuseTwins } from '../../project/case-twins.ts'
import { bundleAt, requireLanguage, requireProject } from '../../project/layout.ts'
import { type BundleName, bundlePath } from '../../project/project.ts'
import type { MachineResult, WrittenTranslations } from '../../project/sidecars/write-translations.ts'
import { nameOfRules, textRulesIn } from '../../project/text-rules.ts'
import type { CommitMessage, Snapshot, Transaction } from '../../store/store.ts'
import type { BundleTask } from '../writing/bundle-task.ts'
import type { BackgroundWrite, ChangeRunner } from '../writing/change-runner.ts'
import { commitMessage, namedNamespaces } from '../writing/commit-message.ts'
import { findBodyLine } from '../writing/find-body-line.ts'
import { putSidecar } from '../writing/sidecar-file.ts'
import type { JobRequest, RefusedText } from './job-record.ts'
import { requireMaySpend } from './may-spend.ts'
import { bundleTask, filesOfTexts } from './plan-language.ts'

/** The trailer of a job's commits: its id, the language, and the numbers of written and suggested texts. */
const JOB_TRAILER = 'Parlance-Job'

/** The results of a language by namespace. */
export interface LanguageResults {
  job: string
  request: JobRequest
  language: string
  results: ReadonlyMap<string, readonly MachineResult[]>
}

/** The outcome; `revision` is null where nothing changed. */
export interface WrittenLanguage {
  revision: string | null
  written: number
  suggested: number
  refused: RefusedText[]
}

/** @param left aborts the wait for a turn @throws Failure as a write of the caller does */
export async function writeLanguage(
  changes: ChangeRunner,
  caller: Caller,
  { job, request, language, results }: LanguageResults,
  left: AbortSignal,
): Promise<WrittenLanguage> {
  const { slug, machine } = request
  const time = Date.now()
  const config = { permission: 'edit' } as const
  const background: BackgroundWrite = { request: { caller, params: { slug }, routeOptions: { config } }, left }
  const bundles = [...results.keys()].sort().map((namespace): BundleName => ({ slug, language, namespace }))
  const { result, revision } = await changes.written(background, { slug }, function* (state, compute, ask) {
    requireMaySpend(ask('edit'), request, [language])
    requireLanguage(state, requireProject(state, slug), language)
    const tasks: BundleTask<'writeTranslations'>[] = []
    for (const bundle of bundles) {
      const asked = Buffer.from(JSON.stringify(results.get(bundle.namespace)!))
      tasks.push(taskFor(state, bundle, request, { results: asked, time, seed: job }))
      yield
    }
    const outcomes = compute(tasks)
    const total = { written: 0, suggested: 0, refused: [] as RefusedText[] }
    const changed: BundleName[] = []
    let added = 0
    for (const [at, outcome] of outcomes.entries()) {
      const bundle = bundles[at]!
      putOutcome(state, bundle, outcome)
      added += outcome.added
      total.written += outcome.added + outcome.updated
      total.suggested += outcome.suggested
      total.refused.push(...outcome.refused.map(one => ({ language, namespace: bundle.namespace, ...one })))
      if (outcome.bundle || outcome.suggestions !== undefined) changed.push(bundle)
      yield
    }
    const message = describe(changed, { language, slug }, { added, ...total })
    message.trailers!.push(['Machine-Translation', machine])
    message.trailers!.push([JOB_TRAILER, `${job} ${language} ${total.written} ${total.suggested}`])
    return { result: total, message }
  })
  const isChanged = result.written + result.suggested > 0
  return { ...result, revision: isChanged ? revision : null }
}

/** Commits after the base that are looked at. */
const MOST_COMMITS = 10_000

/**
 * Finds the commit of a job that was killed between that commit and the note about it.
 * @param base the newest revision before the write @returns undefined where there is no such commit
 */
export async function findWritten(
  server: Pick<FastifyInstance, 'store'>,
  organization: string,
  { job, language, base }: { job: string; language: string; base: string | null },
): Promise<WrittenLanguage | undefined> {
  const begin = `${JOB_TRAILER}: ${job} ${language} `
  const looked = { organization, since: base, most: MOST_COMMITS }
  const found = await findBodyLine<WrittenLanguage>(server, looked, (line, revision) => {
    if (!line.startsWith(begin)) return undefined
    const [written = 0, suggested = 0] = line.slice(begin.length).split(' ').map(Number)
    return { revision, written, suggested, refused: [] }
  })
  return found ?? undefined
}

/** What becomes of a bundle; the worker computes it where the files are large. */
function taskFor(
  state: Snapshot,
  bundle: BundleName,
  request: JobRequest,
  { results, ...once }: { results: Buffer; time: number; seed: string },
): BundleTask<'writeTranslations'> {
  const project = requireProject(state, bundle.slug)
  const files = filesOfTexts(project, bundle)
  const paths = { suggestions: files.suggestions, marks: files.marks }
  const format = project.defaultFormat
  const ids = Object.values(files).map(path => state.entry(path)?.id)
  return {
    ...{ name: 'writeTranslations', bundle, id: bundleAt(state, bundle).id, format: 'i18next-json', readsNoFile: true },
    variant: [...ids, JSON.stringify(project), nameOfRules(textRulesIn(state, project)), once.time].join(' '),
    *extraBytes(now) {
      yield results
      yield* bytesIn(textRulesIn(now, project))
      for (const path of Object.values(files)) yield now.read(path) ?? NO_BYTES
    },
    task: (_stored, _inThread, now) => ({ ...bundleTask(now, bundle, request), paths, format, results, ...once }),
  }
}

const NO_BYTES = new Uint8Array()

function putOutcome(tx: Transaction, bundle: BundleName, { bundle: file, marks, suggestions }: WrittenTranslations) {
  const project = requireProject(tx, bundle.slug)
  if (file) {
    if (!bundleAt(tx, bundle).exists) refuseTwins(tx, project, bundle)
    tx.put(bundlePath(bundle), asBuffer(file))
  }
  if (marks !== undefined) putSidecar(tx, project, { sidecar: 'marks', ...bundle }, marks)
  if (suggestions !== undefined) putSidecar(tx, project, { sidecar: 'suggestions', ...bundle }, suggestions)
}

function describe(
  bundles: readonly BundleName[],
  { language, slug }: { language: string; slug: string },
  { added, written, suggested }: { added: number; written: number; suggested: number },
): CommitMessage {
  const names = bundles.map(({ namespace }) => namespace)
  const place = { slug, language, namespace: names.length === 1 ? names[0] : undefined }
  const counts = { added, updated: written - added }
  const about = { slug, languages: [language], namespaces: namedNamespaces(names) }
  if (written === 0) return commitMessage({ ...place, kind: 'suggest-texts', count: suggested }, about)
  const several = names.length > 1 && { bundles: names.length }
  return commitMessage({ ...place, kind: 'push', ...counts, removed: 0, ...several }, { ...about, counts })
}
