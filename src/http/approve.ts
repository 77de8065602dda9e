/** Approves texts of a translation, or withdraws approvals: of some keys, a bundle or a whole language. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { CommitAction } from '../bundle/commit-subject.ts'
import { Failure } from '../bundle/errors.ts'
import { expectedOf } from '../bundle/many-push.ts'
import { secondOf } from '../bundle/mark.ts'
import { peel } from '../bundle/message.ts'
import { checkKey, checkLanguage, checkNamespace } from '../bundle/names.ts'
import {
  hasBundle,
  idOf,
  missingBundle,
  namespacesOf,
  refuseSource,
  requireLanguage,
  requireProject,
} from '../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../project/project.ts'
import type { ApprovedTexts, ApproveTextsTask, SkippedApproval } from '../project/sidecars/approve-texts.ts'
import { sidecarPath } from '../project/sidecars/sidecars.ts'
import { TaskFile, type UnreadTask } from '../project/sidecars/task-file.ts'
import type { CommitMessage, Snapshot } from '../store/store.ts'
import { ExpectedShape, ManyStale, refuseConditions, refuseStale } from './push.ts'
import { shownRevision } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import { entryAuthor } from './requests/entry-author.ts'
import {
  component,
  count,
  key,
  language,
  like,
  namespace,
  type OfProject,
  revision,
  type Sends,
  writing,
} from './requests/shapes.ts'
import type { BundleTask } from './writing/bundle-task.ts'
import { commitMessage, namedNamespaces } from './writing/commit-message.ts'
import { MainLine } from './writing/main-line.ts'
import { putSidecar } from './writing/sidecar-file.ts'
import { unreadTask } from './writing/unread-task.ts'
import { versionsByAuthor } from './writing/versions-by-author.ts'
import { isReviewer, noReviewer } from './writing/within-rights.ts'

const MOST_KEYS = 10_000

const Approving = z.strictObject({
  language,
  namespace: namespace.optional().describe('The namespace; all texts of the language without it.'),
  keys: like(z.array(z.string()).min(1).max(MOST_KEYS).optional(), ['nav.home']).describe(
    'The keys, which need their namespace; a plural is named by its base. All texts without it.',
  ),
  expected: ExpectedShape,
})
const whyKinds = ['missing', 'empty', 'approved', 'unapproved', 'own'] as const satisfies SkippedApproval['why'][]
const common = {
  revision: revision.nullable().describe('The full id of the commit; where nothing changed, of the newest one.'),
  skipped: z
    .array(
      z.object({
        namespace,
        key,
        why: z
          .enum(whyKinds)
          .describe('`empty`: a text or form is `""`. `own`: with four eyes, another person approves it.'),
      }),
    )
    .describe(`Named keys that stay as they were, and why; own texts also without names. At most ${MOST_KEYS}.`)
    .meta({ examples: [[]] }),
}
const Approved = component('Approved', { ...common, approved: count('Texts that are newly approved.', 1) })
const Unapproved = component('Unapproved', { ...common, unapproved: count('Texts that lost their approval.', 1) })

/** The texts of a request. */
interface Choice extends Omit<BundleName, 'namespace'> {
  namespace: string | undefined
  keys: readonly string[] | null
  tags: ReturnType<typeof expectedOf>[]
}

/** Adds the routes to a scope behind `identify`. */
export function approveRoutes(app: FastifyInstance): void {
  const inTurn = inTurns('approvals of a language')
  const options = { config: { permission: 'edit' }, bodyLimit: app.limits.keyBody } as const
  const refused = { description: 'Bundles are not as `expected` says; nothing was written.', body: ManyStale }
  const schemaOf = (operationId: string, summary: string, description: string, body: z.ZodType) => ({
    ...{ tags: ['Marks'], operationId, summary, description, body: Approving },
    ...writing({ 200: body, 412: refused }, 'not-found'),
  })
  type Approve = OfProject & Sends<typeof Approving>

  const approve = schemaOf(
    'approveTexts',
    'Approve translations',
    'One commit approves the present texts. Needs the right to review the language. An approval holds for this text and ' +
      'this source: it has no effect after either changes, and counts again when both are back. Empty texts are skipped. ' +
      'With four eyes, the last author of a text does not approve it: it is skipped as `own`. The authors are looked for in ' +
      'the last 1,000 commits. With `expected`, only while the bundles are the ones that the reviewer read. Bundles and their `ETag` stay.',
    Approved.describe('How many were approved.'),
  )
  app.post<Approve>('/api/projects/:slug/approve', { schema: approve, ...options }, async (request, reply) => {
    refuseConditions(request)
    const mark = { by: entryAuthor(requireCaller(request, 'edit')), at: secondOf(new Date()) }
    const { changed: approved, ...rest } = await change(reply, choiceOf(request.params.slug, request.body), mark)
    return reply.send({ ...rest, approved })
  })

  const unapprove = schemaOf(
    'unapproveTexts',
    'Withdraw approvals',
    'One commit withdraws the approvals of present texts. Needs the right to review the language.',
    Unapproved.describe('How many lost their approval.'),
  )
  app.post<Approve>('/api/projects/:slug/unapprove', { schema: unapprove, ...options }, async (request, reply) => {
    refuseConditions(request)
    const { changed: unapproved, ...rest } = await change(reply, choiceOf(request.params.slug, request.body), null)
    return reply.send({ ...rest, unapproved })
  })

  async function change(reply: FastifyReply, choice: Choice, mark: ApproveTextsTask['mark']) {
    app.writes.ask(reply.request)
    if (choice.namespace !== undefined) return changeNow(reply, choice, mark)
    return inTurn(reply, () => changeNow(reply, choice, mark))
  }
}

function choiceOf(slug: string, body: z.infer<typeof Approving>): Choice {
  const { namespace, keys, expected = {} } = body
  if (keys !== undefined && namespace === undefined)
    throw new Failure('invalid', 'The body does not fit: "keys" need their "namespace".')
  return {
    ...{ slug, language: checkLanguage(body.language) },
    namespace: namespace && checkNamespace(namespace),
    keys: keys ? [...new Set(keys.map(key => peel(checkKey(key)).key))] : null,
    tags: Object.entries(expected).map(([name, tag]) => expectedOf(name, tag)),
  }
}

/** Writes the marks of the chosen texts. @param mark null withdraws approvals */
async function changeNow(reply: FastifyReply, choice: Choice, mark: ApproveTextsTask['mark']) {
  const { slug, language, namespace, keys, tags } = choice
  const { request } = reply
  const { result, revision } = await request.server.changes.written(reply, { slug }, function* (state, compute, ask) {
    const project = requireProject(state, slug)
    const caller = ask('edit')
    if (!isReviewer(caller, choice)) throw noReviewer(caller, choice)
    refuseStale(state, slug, tags)
    const bundles = bundlesOf(state, project, choice)
    const line = new MainLine(state)
    const tasks: BundleTask<'approveTexts'>[] = []
    for (const bundle of bundles) {
      const isHeld = mark !== null && project.review?.[language]?.fourEyes === true
      const versions = isHeld ? yield* versionsByAuthor(line, bundle, caller.email) : null
      tasks.push(approval(state, project, bundle, { keys, mark, versions }))
      yield
    }
    const outcomes = compute(tasks)
    for (const [at, { first, file }] of outcomes.entries()) {
      if (first !== null) putSidecar(state, project, { sidecar: 'marks', ...bundles[at]! }, file)
      yield
    }
    const skipped = outcomes.flatMap((outcome, at) => {
      const { namespace } = bundles[at]!
      return outcome.skipped.map(({ key, why }) => ({ namespace, key, why }))
    })
    const changed = outcomes.reduce((sum, outcome) => sum + outcome.changed, 0)
    const message = describe({ slug, language, namespace }, bundles, outcomes, mark !== null)
    return { result: { changed, skipped: skipped.slice(0, MOST_KEYS) }, message }
  })
  return { ...result, revision: await shownRevision(request, revision) }
}

/** @throws Failure `invalid`, `not-found` */
function bundlesOf(state: Snapshot, project: Project, { slug, language, namespace }: Choice): BundleName[] {
  refuseSource(project, language, 'only translations can be approved')
  if (namespace === undefined) {
    requireLanguage(state, project, language)
    return namespacesOf(state, slug, language).map(namespace => ({ slug, language, namespace }))
  }
  const bundle = { slug, language, namespace }
  if (!hasBundle(state, bundle)) throw missingBundle(bundle)
  return [bundle]
}

/** What becomes of the marks of a bundle; the worker computes it where the bundles are large. */
function approval(
  state: Snapshot,
  { sourceLanguage }: Project,
  bundle: BundleName,
  asked: Pick<UnreadTask<ApproveTextsTask>, 'keys' | 'mark' | 'versions'>,
): BundleTask<'approveTexts'> {
  const path = sidecarPath({ sidecar: 'marks', ...bundle })
  const files = {
    path,
    marks: TaskFile.at(path, state),
    source: TaskFile.at(bundlePath({ ...bundle, language: sourceLanguage }), state),
    target: TaskFile.at(bundlePath(bundle), state),
    ...asked,
  }
  return unreadTask('approveTexts', bundle, idOf(state, bundle), { files })
}

function describe(
  place: { slug: string; language: string; namespace: string | undefined },
  bundles: readonly BundleName[],
  outcomes: readonly ApprovedTexts[],
  approves: boolean,
): CommitMessage {
  const changed = outcomes.flatMap((outcome, at) =>
    outcome.first === null ? [] : [{ ...outcome, namespace: bundles[at]!.namespace }],
  )
  const count = changed.reduce((sum, outcome) => sum + outcome.changed, 0)
  const verb = approves ? 'approve' : 'unapprove'
  const namespaces = changed.map(({ namespace }) => namespace)
  const namespace = namespaces.length === 1 ? namespaces[0] : place.namespace
  const action: CommitAction = count === 1 ? { kind: verb, key: changed[0]!.first! } : { kind: `${verb}-keys`, count }
  const { slug, language } = place
  return commitMessage(
    { slug, language, namespace, ...action },
    { slug, languages: [language], namespaces: namedNamespaces(namespaces) },
  )
}
