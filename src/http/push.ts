/** A push of many bundles: the rules of the push of a namespace for each, all or nothing, one commit. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import type { Stored } from '../bundle/file-change.ts'
import type { ExpectedTag, ManyPush } from '../bundle/many-push.ts'
import type { PushedFile } from '../bundle/push.ts'
import { workOf } from '../bundle/work.ts'
import { refuseTwinsAmong } from '../project/case-twins.ts'
import { bundleAt, requireProject } from '../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../project/project.ts'
import type { Steps } from '../scheduling/steps.ts'
import type { CommitMessage, Snapshot } from '../store/store.ts'
import { compute, type TaskAnswer } from '../worker/tasks.ts'
import { entityTag, matches } from './answers/conditional.ts'
import { jsonList } from './answers/json-list.ts'
import { claimantOf } from './bounds/body-memory.ts'
import { ResourceShape } from './bundles.ts'
import { shownRevision } from './requests/at.ts'
import { readJsonBytes, unfold } from './requests/body.ts'
import { clientGone } from './requests/client-gone.ts'
import {
  component,
  ErrorBody,
  type Flags,
  HEADERS,
  language,
  like,
  namespace,
  type OfProject,
  revision,
  text,
  writing,
} from './requests/shapes.ts'
import { describePush, pushCounts, pushDetails, pushFlags, putFile, withDetails, withSuggested } from './writes.ts'
import { computeAfterSource } from './writing/beside-source.ts'
import type { BundleTask } from './writing/bundle-task.ts'
import { LARGE } from './writing/change-runner.ts'
import { commitMessage, namedNamespaces } from './writing/commit-message.ts'
import { describeNotes, pushNotes } from './writing/push-notes.ts'

/** Bundles, and keys of each, that a sentence names. */
const NAMED = 10

const etag = text('The entity tag of the bundle, as its own GET has it.', HEADERS.ETag.example)
/** The member `expected` of a body. */
export const ExpectedShape = z
  .record(z.string(), z.string())
  .optional()
  .describe(
    'By `<language>/<namespace>`, of any bundle of the project, the entity tag that it must still have, or `*` for ' +
      'one that must exist. One that does not exist has the tag of the empty bundle.',
  )
const CodeNote = z.strictObject({ note: z.string().optional(), refs: z.array(z.string()).optional() })
const ManyPushShape = z
  .object({
    bundles: z
      .record(z.string(), z.record(z.string(), ResourceShape))
      .describe('The resources by language and namespace, at most 10,000.'),
    message: z
      .string()
      .optional()
      .describe(
        'The subject of the commit: 1 to 200 characters, no control characters. By default the server writes one.',
      ),
    expected: ExpectedShape,
    notes: z
      .record(z.string(), z.record(z.string(), CodeNote))
      .optional()
      .describe(
        'By namespace and key, what the code says: a comment for translators, and where the key is used. Of a named key it ' +
          'replaces the references, and the note unless a person wrote it. Other keys stay as they are.',
      ),
  })
  .meta({
    id: 'ManyPush',
    examples: [
      {
        bundles: { en: { common: { nav: { home: 'Home' } } }, de: { common: { nav: { home: 'Startseite' } } } },
        message: 'Texts of the new navigation',
        expected: { 'en/common': HEADERS.ETag.example },
        notes: { common: { 'nav.home': { note: 'The first page.', refs: ['src/nav.tsx:8'] } } },
      },
    ],
  })
const ManyPushed = component('ManyPushed', {
  revision: revision.describe('The full id of the commit; where nothing changed, and on a dry run, of the newest one.'),
  ...pushCounts,
  dryRun: z.boolean(),
  notes: z.int().min(0).optional().describe('Where the body has `notes`: how many of them changed.'),
  bundles: z
    .array(z.object({ language, namespace, etag, ...pushCounts, details: pushDetails }))
    .describe('The same for each bundle. Find a row by language and namespace: names that are integers come first.'),
})
/** Bundles that are not as expected. */
export const ManyStale = ErrorBody.extend({
  bundles: like(z.array(z.object({ language, namespace, etag })).describe('Those that are not as `expected`.'), [
    { language: 'de', namespace: 'common', etag: HEADERS.ETag.example },
  ]),
}).meta({ id: 'ManyStale' })

/** Adds the route to a scope behind `identify`. */
export function pushRoutes(app: FastifyInstance): void {
  const push = {
    tags: ['Bundles'],
    operationId: 'pushBundles',
    summary: 'Push many namespaces in one commit',
    description:
      'The rules of the push of one namespace for each of them, all or nothing: when one is refused, nothing is written, ' +
      'and the answer names the bundle and its keys. Bundles that are not named stay as they are, with `prune=true` too.',
    querystring: z.object(pushFlags),
    body: ManyPushShape,
    ...writing(
      {
        200: ManyPushed.describe('What changed, in keys; a plural is one key.'),
        412: { description: 'Bundles are not as `expected` says; nothing was written.', body: ManyStale },
      },
      'not-found',
      'unfit',
    ),
  }
  const config = { permission: 'edit', readsBody: true } as const
  app.post<Push>('/api/projects/:slug/push', { schema: push, config }, async (request, reply) => {
    const { slug } = request.params
    const flags = request.query
    refuseConditions(request)
    const asked = await readAsked(reply)
    const { result, revision, diverted } = await app.changes.written(
      reply,
      { slug, dryRun: flags.dryRun },
      function* (state, compute) {
        const project = requireProject(state, slug)
        refuseStale(state, slug, asked.expected)
        const parts = yield* partsOf(state, project, asked, flags)
        const answers = yield* computeAfterSource(parts, { state, project }, compute, madeBy)
        const pushes = yield* pushesOf(parts, answers)
        const coming = pushes
          .filter(({ exists, file }) => file.kind === 'written' && !exists)
          .map(({ bundle }) => bundle)
        const going = pushes.filter(({ file }) => file.kind === 'removed').map(({ bundle }) => bundlePath(bundle))
        yield* refuseTwinsAmong(state, project, coming, going)
        const pushed: PushedBundle[] = []
        for (const { bundle, id, counts, file, details } of pushes) {
          const written = putFile(state, bundle, file, id)
          pushed.push({ bundle, id: flags.dryRun ? id : written, counts, details })
          yield
        }
        const notes = asked.notes && (yield* pushNotes(state, project, asked.notes, compute))
        const isOfNotes = notes && notes.count > 0 && !pushed.some(isChanged)
        return {
          result: { pushed, notes: notes?.count },
          message: isOfNotes ? describeNotes(slug, asked.message, notes) : describe(slug, asked.message, pushed),
          keepsStale: flags.keepStale,
        }
      },
    )
    const shown = await shownRevision(request, revision)
    const waiting = new Map(diverted.map(bundle => [bundlePath(bundle), bundle]))
    const pushed = result.pushed.map((one): PushedBundle => {
      const without = waiting.get(bundlePath(one.bundle))
      const id = without && !flags.dryRun ? without.id : one.id
      return { ...one, id, counts: withSuggested(one.counts, without) }
    })
    const { notes } = result
    const answer = await answerOf(pushed, { revision: shown, prunes: flags.prune, dryRun: flags.dryRun, notes })
    return reply.header('content-type', 'application/json; charset=utf-8').send(answer)
  })
}

/** Reads the body; the worker does where it is large. @throws Failure as `readManyPush` does */
async function readAsked(reply: FastifyReply): Promise<ManyPush> {
  const { request } = reply
  const { limits, worker } = request.server
  const body = await readJsonBytes(request, limits.pushBody)
  // The main thread parses one resource after the other, and none that is large.
  await unfold(request, body.subarray(0, LARGE))
  const task = { body, largest: limits.namespaceBody }
  if (workOf(body) < LARGE) return compute('readManyPush', task)
  return (await worker.run('readManyPush', () => task, clientGone(reply), claimantOf(reply.request)))!
}

type Push = OfProject & Flags<typeof pushFlags>
type Counts = PushedFile['counts']
type PushedCounts = Counts & { suggested?: number; full?: string[] }
/** A part of a push, and whether its bundle is there. */
type BundlePart = BundleTask<'tryPush'> & { exists: boolean }
/** A bundle with its stored id and the result of its push. */
type BundlePush = Pick<BundlePart, 'bundle' | 'id' | 'exists'> & PushedFile
/** The part of a pushed bundle for the answer and the commit; `id` is the present one. */
type PushedBundle = Pick<BundlePush, 'bundle' | 'id' | 'details'> & { counts: PushedCounts }

/**
 * Refuses preconditions in headers: a write of many bundles has no single entity tag. It accepts `expected` instead.
 * @throws Failure `invalid`
 */
export function refuseConditions({ headers }: FastifyRequest): void {
  for (const name of ['If-Match', 'If-None-Match']) {
    if (headers[name.toLowerCase()] === undefined) continue
    throw new Failure('invalid', `${name} is not for this: say in "expected" which tag each bundle must have.`)
  }
}

/** @throws Failure `stale` naming every bundle that is not as expected, with its present tag */
export function refuseStale(state: Snapshot, slug: string, expected: readonly ExpectedTag[]): void {
  const bundles = expected.flatMap(({ language, namespace, tag }) => {
    const present = bundleAt(state, { slug, language, namespace })
    return matches(tag, present) ? [] : [{ language, namespace, etag: entityTag(present.id) }]
  })
  if (bundles.length === 0) return
  const are = bundles.length === 1 ? 'is' : 'are'
  const names = listed(bundles.map(nameOf), ', ')
  throw new Failure('stale', `${names} ${are} not as "expected" says: read it again.`, { bundles })
}

function* partsOf(
  state: Snapshot,
  { slug, defaultFormat: format, sourceLanguage }: Project,
  { bundles, bytes }: ManyPush,
  { prune: prunes, overwrite, details: detailed }: Push['Querystring'],
): Steps<BundlePart[]> {
  const parts: BundlePart[] = []
  let from = 0
  for (const { language, namespace, end } of bundles) {
    const bundle = { slug, language, namespace }
    const body = bytes.subarray(from, end)
    from = end
    const { id, exists } = bundleAt(state, bundle)
    const rules = { language, overwrites: overwrite || language === sourceLanguage, prunes }
    parts.push({
      name: 'tryPush',
      bundle,
      id,
      exists,
      format,
      variant: String(rules.overwrites),
      extraBytes: () => [body],
      task: (stored: Stored) => ({ stored, body, rules, detailed }),
    })
    yield
  }
  return parts
}

/** @throws Failure `unfit` naming the bundles and in each what it lacks */
function* pushesOf(parts: BundlePart[], answers: TaskAnswer<'tryPush'>[]): Steps<BundlePush[]> {
  const pushes: BundlePush[] = []
  const refused: string[] = []
  for (const [at, answer] of answers.entries()) {
    const { bundle, id, exists } = parts[at]!
    yield
    if (!('refused' in answer)) pushes.push({ bundle, id, exists, ...answer })
    else refused.push(`${nameOf(bundle)}: ${answer.refused.message}`)
  }
  if (refused.length > 0) throw new Failure('unfit', listed(refused, ' '))
  return pushes
}

const madeBy = (answer: TaskAnswer<'tryPush'>) => ('refused' in answer ? undefined : answer.file)

const nameOf = ({ language, namespace }: Omit<BundleName, 'slug'>): string => `${language}/${namespace}`

function listed(names: string[], between: string): string {
  const more = names.length - NAMED
  return names.slice(0, NAMED).join(between) + (more > 0 ? `${between}and ${more} more` : '')
}

const isChanged = ({ counts }: PushedBundle): boolean => counts.added + counts.updated + counts.removed > 0

const COUNTS = ['added', 'updated', 'unchanged', 'skipped', 'removed'] as const

function sumOf(pushed: PushedBundle[]): Omit<PushedCounts, 'details'> {
  const sum = { added: 0, updated: 0, unchanged: 0, skipped: 0, removed: 0 }
  for (const { counts } of pushed) for (const name of COUNTS) sum[name] += counts[name]
  const waiting = pushed.flatMap(({ counts }) => counts.suggested ?? [])
  if (waiting.length === 0) return sum
  return { ...sum, suggested: waiting.reduce((sum, count) => sum + count) }
}

/** The answer as JSON. The details are JSON already, and may be large. */
function answerOf(
  pushed: PushedBundle[],
  {
    revision,
    prunes,
    dryRun,
    notes,
  }: { revision: string | null; prunes: boolean; dryRun: boolean; notes?: number | undefined },
): Promise<Buffer> {
  const countsOf = ({
    added,
    updated,
    unchanged,
    skipped,
    removed,
    suggested,
    full,
  }: Omit<PushedCounts, 'details'>) => ({
    ...{ added, updated, unchanged, skipped },
    ...(prunes && { removed }),
    ...(suggested !== undefined && { suggested }),
    ...(full !== undefined && { full }),
  })
  const all = { revision, ...countsOf(sumOf(pushed)), dryRun, notes }
  const rows = pushed.map(({ bundle, id, counts, details }) => {
    const { language, namespace } = bundle
    const row = { language, namespace, etag: entityTag(id), ...countsOf(counts) }
    return details === undefined ? row : withDetails(row, details)
  })
  return jsonList(all, 'bundles', rows)
}

/** What a commit says: a subject of the caller's, or of what changed, and the languages and namespaces that did. */
function describe(slug: string, subject: string | undefined, pushed: PushedBundle[]): CommitMessage {
  const changed = pushed.filter(isChanged)
  const only = changed.length === 1 ? describePush(changed[0]!.bundle, changed[0]!.counts) : undefined
  if (only) return { ...only, ...(subject !== undefined && { subject }) }
  const counts = sumOf(pushed)
  const named = (part: 'language' | 'namespace') => [...new Set(changed.map(({ bundle }) => bundle[part]))].sort()
  const namespaces = named('namespace')
  const { added, updated, removed } = counts
  const own = subject === undefined ? undefined : { text: subject }
  return commitMessage(own ?? { slug, kind: 'push', added, updated, removed, bundles: changed.length }, {
    slug,
    languages: named('language'),
    namespaces: namedNamespaces(namespaces),
    counts: { ...counts, removed: counts.removed || undefined },
  })
}
