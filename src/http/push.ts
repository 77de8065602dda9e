/** A push of many bundles: the rules of the push of a namespace for each, all or nothing, one commit. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { parseBody } from '../bundle/body.ts'
import { Failure } from '../bundle/errors.ts'
import type { Stored } from '../bundle/made-file.ts'
import { NoJson } from '../bundle/members.ts'
import { checkSlug } from '../bundle/names.ts'
import type { Pushed } from '../bundle/push.ts'
import { workOf } from '../bundle/work.ts'
import { refuseTwinsAmong } from '../project/case-twins.ts'
import { bundleAt, requireProject } from '../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../project/project.ts'
import { inSlices, type Steps } from '../scheduling/steps.ts'
import type { CommitMessage, Snapshot } from '../store/store.ts'
import type { TaskAnswer } from '../worker/tasks.ts'
import { entityTag, json, matches } from './answers/conditional.ts'
import { ResourceShape } from './bundles.ts'
import { shownRevision } from './requests/at.ts'
import { readJsonBytes, unfold } from './requests/body.ts'
import { requireCaller } from './requests/caller.ts'
import { readFlags } from './requests/query.ts'
import { component, ErrorBody, HEADERS, language, like, namespace, revision, text, writing } from './requests/shapes.ts'
import { describePush, pushCounts, pushDetails, pushFlags, putFile, tellPush, withDetails } from './writes.ts'
import { computeAfterSource } from './writing/beside-source.ts'
import { commitMessage } from './writing/commit-message.ts'
import { LARGE, type Part } from './writing/computing.ts'
import { type Expected, type ManyPush, readManyPush } from './writing/push-body.ts'

/** Bundles, and keys of each, that a sentence names. */
const NAMED = 10
/** Namespaces that a commit names; of one that names none the history counts the keys itself. */
const MOST_TOLD = 100

const etag = text('The entity tag of the bundle, as its own GET has it.', HEADERS.ETag.example)
/** The member `expected` of a body. */
export const ExpectedShape = z
  .record(z.string(), z.string())
  .optional()
  .describe(
    'By `<language>/<namespace>`, of any bundle of the project, the entity tag that it must still have, or `*` for ' +
      'one that must exist. One that does not exist has the tag of the empty bundle.',
  )
const ManyPushShape = z
  .object({
    bundles: z
      .record(z.string(), z.record(z.string(), ResourceShape))
      .describe('The resources by language and namespace, at most 10,000.'),
    message: z
      .string()
      .optional()
      .describe('The subject of the commit: 1 to 200 characters, no control characters. Told by the server if absent.'),
    expected: ExpectedShape,
  })
  .meta({
    id: 'ManyPush',
    examples: [
      {
        bundles: { en: { common: { nav: { home: 'Home' } } }, de: { common: { nav: { home: 'Startseite' } } } },
        message: 'Texts of the new navigation',
        expected: { 'en/common': HEADERS.ETag.example },
      },
    ],
  })
const ManyPushed = component('ManyPushed', {
  revision: revision.describe('The full id of the commit; where nothing changed, and on a dry run, of the newest one.'),
  ...pushCounts,
  dryRun: z.boolean(),
  bundles: z
    .array(z.object({ language, namespace, etag, ...pushCounts, details: pushDetails }))
    .describe('The same for each bundle, in the order of the body.'),
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
  app.post<{ Params: { slug: string } }>('/api/projects/:slug/push', { schema: push }, async (request, reply) => {
    const slug = checkSlug(request.params.slug)
    requireCaller(request, 'edit')
    const flags = readFlags(request, ['dryRun', 'details', 'prune', 'overwrite', 'keepStale'])
    refuseConditions(request)
    const bytes = await readJsonBytes(request, app.limits.pushBody)
    // One resource after the other is read as objects; those that are large in the worker.
    await unfold(request, bytes.subarray(0, LARGE))
    try {
      const asked = await inSlices(readManyPush(bytes, slug, app.limits.namespaceBody))
      const { result, revision } = await app.computing.written(
        reply,
        { slug, dryRun: flags.dryRun },
        function* (state, compute) {
          const project = requireProject(state, slug)
          refuseStale(state, asked.expected)
          const parts = yield* partsOf(state, project, asked, flags)
          const answers = computeAfterSource(parts, { state, project }, compute, madeBy)
          const pushes = yield* pushesOf(parts, answers)
          const coming = pushes.filter(({ exists, file }) => file && !exists).map(({ bundle }) => bundle)
          const going = pushes.filter(({ file }) => file === null).map(({ bundle }) => bundlePath(bundle))
          yield* refuseTwinsAmong(state, project, coming, going)
          const told: Told[] = []
          for (const { bundle, id, counts, file, details } of pushes) {
            told.push({ bundle, id: flags.dryRun ? id : putFile(state, bundle, file, id), counts, details })
            yield
          }
          return { result: told, message: describe(slug, asked.message, told), keepsStale: flags.keepStale }
        },
      )
      const shown = await shownRevision(request, revision)
      const answer = answerOf(result, { revision: shown, prunes: flags.prune, dryRun: flags.dryRun })
      return reply.header('content-type', 'application/json; charset=utf-8').send(answer)
    } catch (error) {
      if (!(error instanceof NoJson)) throw error
      if (workOf(bytes) < LARGE) parseBody(bytes)
      else await app.worker.run('read', () => ({ body: bytes }))
      throw new Failure('invalid', 'The body does not fit: a name or number in it is too long.')
    }
  })
}

type Flags = { prune: boolean; details: boolean; overwrite: boolean }
type Counts = Pushed['counts']
/** A part of a push, and whether its bundle is there. */
type BundlePart = Part<'tryPush'> & { exists: boolean }
/** A bundle with its stored id and what its push came to. */
type BundlePush = Pick<BundlePart, 'bundle' | 'id' | 'exists'> & Pushed
/** What an answer and a commit tell of a bundle; `id` is the one it has now. */
type Told = Pick<BundlePush, 'bundle' | 'id' | 'counts' | 'details'>

/**
 * Of writes that take `expected`: who sends one wants it to hold, and there is no one thing that it could be about.
 * @throws Failure `invalid`
 */
export function refuseConditions({ headers }: FastifyRequest): void {
  for (const name of ['If-Match', 'If-None-Match']) {
    if (headers[name.toLowerCase()] === undefined) continue
    throw new Failure('invalid', `${name} is not for this: say in "expected" which tag each bundle must have.`)
  }
}

/** @throws Failure `stale` naming every bundle that is not as expected, with its present tag */
export function refuseStale(state: Snapshot, expected: readonly Expected[]): void {
  const stale = expected.filter(({ bundle, tag }) => !matches(tag, bundleAt(state, bundle)))
  if (stale.length === 0) return
  const bundles = stale.map(({ bundle }) => {
    const { language, namespace } = bundle
    return { language, namespace, etag: entityTag(bundleAt(state, bundle).id) }
  })
  const are = bundles.length === 1 ? 'is' : 'are'
  const names = listed(bundles.map(nameOf), ', ')
  throw new Failure('stale', `${names} ${are} not as "expected" says: read again and decide anew.`, { bundles })
}

function* partsOf(
  state: Snapshot,
  { defaultFormat: format, sourceLanguage }: Project,
  { resources }: ManyPush,
  { prune: prunes, overwrite, details: detailed }: Flags,
): Steps<BundlePart[]> {
  const parts: BundlePart[] = []
  for (const { bundle, body } of resources) {
    const { language } = bundle
    const { id, exists } = bundleAt(state, bundle)
    const rules = { language, overwrites: overwrite || language === sourceLanguage, prunes }
    parts.push({
      name: 'tryPush',
      bundle,
      id,
      exists,
      format,
      variant: String(rules.overwrites),
      more: () => [body],
      task: (stored: Stored) => ({ stored, body, rules, detailed }),
    })
    yield
  }
  return parts
}

/** @throws NoJson, Failure `unfit` naming the bundles and in each what it lacks */
function* pushesOf(parts: BundlePart[], answers: TaskAnswer<'tryPush'>[]): Steps<BundlePush[]> {
  const pushes: BundlePush[] = []
  const refused: string[] = []
  for (const [at, answer] of answers.entries()) {
    const { bundle, id, exists } = parts[at]!
    yield
    if (!('refused' in answer)) pushes.push({ bundle, id, exists, ...answer })
    else if (answer.refused.code === 'invalid') throw new NoJson()
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

const isChanged = ({ counts }: Told): boolean => counts.added + counts.updated + counts.removed > 0

const COUNTS = ['added', 'updated', 'unchanged', 'skipped', 'removed'] as const

function sumOf(told: Told[]): Omit<Counts, 'details'> {
  const sum = { added: 0, updated: 0, unchanged: 0, skipped: 0, removed: 0 }
  for (const { counts } of told) for (const name of COUNTS) sum[name] += counts[name]
  return sum
}

/** JSON, whose details are that already and may be large. */
function answerOf(
  told: Told[],
  { revision, prunes, dryRun }: { revision: string | null; prunes: boolean; dryRun: boolean },
): Buffer {
  const countsOf = ({ added, updated, unchanged, skipped, removed }: Omit<Counts, 'details'>) => ({
    ...{ added, updated, unchanged, skipped },
    ...(prunes && { removed }),
  })
  const all = { revision, ...countsOf(sumOf(told)), dryRun }
  const rows = told.map(({ bundle, id, counts }) => {
    const { language, namespace } = bundle
    return { language, namespace, etag: entityTag(id), ...countsOf(counts) }
  })
  if (told[0]?.details === undefined) return json({ ...all, bundles: rows })
  const parts = rows.flatMap((row, at) => [...(at > 0 ? [COMMA] : []), ...withDetails(row, told[at]!.details!)])
  return Buffer.concat([Buffer.from(`${JSON.stringify(all).slice(0, -1)},"bundles":[`), ...parts, END])
}

const [COMMA, END] = [Buffer.from(','), Buffer.from(']}')]

/** What a commit says: a subject of the caller's, or of what changed, and the languages and namespaces that did. */
function describe(slug: string, subject: string | undefined, told: Told[]): CommitMessage {
  const changed = told.filter(isChanged)
  const only = changed.length === 1 ? describePush(changed[0]!.bundle, changed[0]!.counts) : undefined
  if (only) return { ...only, ...(subject !== undefined && { subject }) }
  const counts = sumOf(told)
  const named = (part: 'language' | 'namespace') => [...new Set(changed.map(({ bundle }) => bundle[part]))].sort()
  const namespaces = named('namespace')
  return commitMessage(subject ?? `${slug}: ${tellPush(counts)} in ${changed.length} bundles`, {
    slug,
    languages: named('language'),
    namespaces: namespaces.length > MOST_TOLD ? [] : namespaces,
    counts: { ...counts, removed: counts.removed || undefined },
  })
}
