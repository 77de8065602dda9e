/** Restores a project, a language, a namespace, a bundle or a key to an earlier state, in one commit. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { peel } from '../bundle/message.ts'
import { checkKey } from '../bundle/names.ts'
import { bundleAt, findProject, hasLanguage, requireProject } from '../project/layout.ts'
import { languagePath, type Project } from '../project/project.ts'
import { Reversion, type RevertScope } from '../project/revert.ts'
import type { RevertPlan } from '../project/revert-plan.ts'
import { Tree } from '../store/objects/tree.ts'
import type { CommitMessage, Snapshot } from '../store/store.ts'
import { type CurrentEntity, checkPreconditions, entityTag } from './answers/conditional.ts'
import { checkPart, previewed, previewFlags } from './bundles.ts'
import { resolveFor } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import {
  answer,
  component,
  count,
  FieldsShape,
  type Flags,
  like,
  type OfProject,
  revision,
  type Sends,
  text,
  writing,
} from './requests/shapes.ts'
import { withSuggested } from './writes.ts'
import { commitMessage } from './writing/commit-message.ts'
import { applyPlan, heldIn, planRevert, sinceIn, statesAt } from './writing/plan-revert.ts'
import { TextVersions } from './writing/text-versions.ts'

const Restoring = z.strictObject({
  at: text('A revision (full or abbreviated), the name of a release or tag, or an ISO 8601 time.', 'v1'),
  language: z.string().optional().describe('Only this language.'),
  namespace: z.string().optional().describe('Only this namespace; in all languages when none is named.'),
  key: z.string().optional().describe('Only this key, or one form of it (`item_one`); it needs a namespace.'),
})
const Restored = component('Restored', {
  revision: revision
    .nullable()
    .describe('The full id of the commit that `at` names; null is the time before the first one.'),
  restoredBy: like(revision.nullable(), '1f7a7a472abf3dd9643fd615f6da379c4acb3e3a').describe(
    'The full id of the commit that restores it, and can be undone; null when nothing was to change, or on a dry run.',
  ),
  added: count('Keys that came back.', 1),
  updated: count('Keys with a changed message.'),
  removed: count('Keys that went: there were none of that name then.'),
  suggested: z.int().min(0).optional().describe('Keys with texts that wait for a review; they did not go back.'),
  full: like(z.array(z.string()).optional(), ['nav.home']).describe(
    'Keys that have 20 suggestions of others: they did not go back.',
  ),
  project: z
    .object({ before: FieldsShape, after: FieldsShape })
    .optional()
    .describe("The project's own fields, when they go back; with `dryRun` or `details`."),
  ...previewed,
})

const headers = z.object({
  'if-match': z
    .string()
    .optional()
    .describe(
      '`*` or the entity tag that the scope must still have: of the bundle when language and namespace are named, of the ' +
        'whole language when that alone is, else of the manifest of the project.',
    ),
  'if-none-match': z.string().optional().describe('`*`: the scope must not exist now.'),
})

/** Adds the route to a scope behind `identify`. */
export function restoreRoutes(app: FastifyInstance): void {
  const inTurn = inTurns('restores')
  const restore = {
    tags: ['Projects'],
    operationId: 'restoreProject',
    summary: 'Restore a project, or a part of it, to a revision',
    description:
      'One commit restores the named part as it was at that revision. Changed texts go back, deleted ones return, added ones ' +
      'go, and all else stays. Without language and namespace the restore covers the whole project, even a deleted one. If ' +
      'the project itself returns or changes, that needs the role owner or admin, or a token that may write. A part returns ' +
      'in the present format of the project. A part that did not exist then is 404. History stays, so a restore can be ' +
      'restored away.',
    querystring: previewFlags,
    headers,
    body: Restoring,
    ...writing(
      {
        200: answer(
          Restored.describe('What changed, in keys; a plural is one key. The `ETag` is that of the scope.'),
          'ETag',
        ),
      },
      'not-found',
      'stale',
      'unfit',
    ),
  }
  type Restore = OfProject & Flags<typeof previewFlags.shape> & Sends<typeof Restoring>
  const config = { permission: 'edit' } as const
  app.post<Restore>('/api/projects/:slug/restore', { schema: restore, config }, async (request, reply) => {
    const { slug } = request.params
    const { organization } = requireCaller(request, 'edit')
    const flags = request.query
    const { at, ...named } = request.body
    const scope = checkScope(slug, named)
    const listsChanges = flags.dryRun || flags.details
    app.writes.ask(request)
    const { revision } = await resolveFor(request, at, slug)
    // Readers of the project alone see the message: it names a commit of the project.
    const ownRevision = revision && (await app.store.newestChange(organization, [slug], revision))
    return inTurn(reply, async () => {
      const {
        result: restored,
        revision: newest,
        diverted,
      } = await app.changes.written(reply, { slug, dryRun: flags.dryRun }, function* (state, compute, ask) {
        const statesIn = statesAt(revision)
        const then = statesIn(state).before
        const reversion = Reversion.toState(state, then, scope, whenOf(revision))
        if (reversion.projectFile()) ask('manage-projects')
        checkPreconditions(request.headers, presentOf(state, scope), subjectOf(scope))
        const plan = yield* planRevert({ state, now: state, reversion, statesIn, listsChanges, compute })
        yield* applyPlan(state, plan)
        // Read last, as stale notes belong to a project. A dry run answers with the present tag.
        const tag = () => presentOf(flags.dryRun ? state.before : state, scope).id
        return {
          result: { plan, tag, before: state.revision },
          message: describe(scope, ownRevision ?? revision, plan),
          origin: {
            state: then,
            part: scope,
            key: scope.key && peel(scope.key).key,
            since: sinceIn(state, new TextVersions(state), { revision, state: then }),
          },
          held: heldIn(state, slug, ask('edit')),
        }
      })
      const { changes, project } = restored.plan
      const counts = diverted.reduce((sum, bundle) => withSuggested(sum, bundle), restored.plan.counts)
      const more = counts.added + counts.updated + counts.removed - changes.length
      const restoredBy = flags.dryRun || newest === restored.before ? null : newest
      const details = listsChanges && { ...(project && { project }), changes, more }
      const answer = { revision, restoredBy, ...counts, dryRun: flags.dryRun, ...details }
      return reply.header('etag', entityTag(restored.tag())).send(answer)
    })
  })
}

/** A state's name in sentences. */
const whenOf = (revision: string | null): string =>
  revision === null ? 'before the first commit' : `at revision ${revision.slice(0, 7)}`

/** @throws Failure `invalid` naming the bad part */
function checkScope(slug: string, named: Omit<z.infer<typeof Restoring>, 'at'>): RevertScope {
  const { language, namespace, key } = named
  if (key !== undefined && namespace === undefined) {
    throw new Failure('invalid', 'The body does not fit: a "key" needs its "namespace".')
  }
  return {
    ...checkPart(slug, { language, namespace }),
    key: key === undefined ? undefined : checkKey(key),
  }
}

/** What preconditions are about: the bundle, or the folder of the language or project. */
export function presentOf(snapshot: Snapshot, { slug, language, namespace }: RevertScope): CurrentEntity {
  if (language !== undefined && namespace !== undefined) return bundleAt(snapshot, { slug, language, namespace })
  const path = language === undefined ? slug : languagePath(slug, language)
  const project = findProject(snapshot, slug)
  const exists = project !== undefined && (language === undefined || hasLanguage(snapshot, project, language))
  return { id: snapshot.entry(path)?.id ?? Tree.EMPTY.id, exists }
}

/** A write's project, preconditions checked. @throws Failure `not-found`, `stale` */
export function admitToProject(snapshot: Snapshot, slug: string, { headers }: FastifyRequest): Project {
  const project = requireProject(snapshot, slug)
  checkPreconditions(headers, presentOf(snapshot, { slug }), 'project')
  return project
}

const subjectOf = ({ language, namespace }: RevertScope): string =>
  language === undefined ? 'project' : namespace === undefined ? 'language' : 'bundle'

/** Scope, revision, and for a namespace in all languages those that change. */
function describe(
  { slug, language, namespace, key }: RevertScope,
  revision: string | null,
  plan: RevertPlan,
): CommitMessage {
  const languages = language !== undefined ? [language] : namespace !== undefined ? plan.languages : []
  return commitMessage(
    { slug, language, namespace, kind: 'restore', key, revision },
    {
      slug,
      languages,
      namespaces: namespace === undefined ? [] : [namespace],
      counts: plan.counts,
      restored: String(revision),
    },
  )
}
