/** Changes of many keys in one commit, with a plan before it: what would happen, key by key. */

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Permission } from '../auth/access.ts'
import { Failure } from '../bundle/errors.ts'
import { secondOf } from '../bundle/mark.ts'
import type { Project } from '../project/project.ts'
import { nextTurn } from '../scheduling/slices.ts'
import { jsonList } from './answers/json-list.ts'
import { applyChanges } from './apply-changes.ts'
import { MessageShape } from './bundles.ts'
import { shownRevision } from './requests/at.ts'
import {
  component,
  count,
  type Flags,
  flag,
  key,
  language,
  like,
  namespace,
  type OfProject,
  projectHeaders,
  revision,
  type Sends,
  text,
  writing,
} from './requests/shapes.ts'
import { admitToProject } from './restore.ts'
import type { ChangeRow } from './writing/judge-rows.ts'
import { commitOfPlan, planId, plannedOn, planTrailer } from './writing/plan-id.ts'
import { MOST_REMOVED, MOST_SET, type RequestedChanges, requestedChanges } from './writing/requested-changes.ts'

const flags = {
  dryRun: flag.describe('`true`: a plan. Nothing is written, and each key says what would happen to it.'),
  machine: flag.describe(
    '`true`: an agent or a machine wrote the translations. They must pass the gate, and are marked as its work.',
  ),
}
const Value = z
  .union([z.string(), z.record(z.string(), z.string())])
  .meta({ examples: ['Startseite', { one: '{{count}} Artikel', other: '{{count}} Artikel' }] })
const Rename = z.strictObject({ namespace, from: text('The key.', 'nav.home'), to: text('The new name.', 'nav.start') })
const Changing = z
  .strictObject({
    set: z
      .array(z.strictObject({ language, namespace, key, value: Value }))
      .max(MOST_SET)
      .optional()
      .describe('Texts to write. A value is a text, or the forms of a plural by CLDR category.'),
    delete: like(z.array(z.strictObject({ namespace, key })).max(MOST_REMOVED).optional(), []).describe(
      'Keys to delete in all languages.',
    ),
    rename: z
      .union([Rename, z.array(Rename).max(MOST_REMOVED)])
      .optional()
      .describe('A key to rename in all languages, or several. The request names such a key nowhere else.'),
    plan: text(
      'The `plan` of a dry run of these changes: they are written only while the keys are as planned, and once.',
      'e4f927de68739af7dd1d2434857fa8223e4aed89-Zk0pXv81TaQ3b7cd',
    ).optional(),
    message: text('The subject of the commit: 1 to 200 characters. By default the server writes one.').optional(),
  })
  .meta({
    id: 'Changing',
    examples: [{ set: [{ language: 'de', namespace: 'common', key: 'nav.home', value: 'Startseite' }] }],
  })
const RESULTS = ['added', 'updated', 'unchanged', 'removed', 'renamed', 'suggested', 'refused'] as const
const Row = component('PlannedChange', {
  ...{ language, namespace, key },
  result: like(z.enum(RESULTS), 'added'),
  before: MessageShape.nullable().describe('What the key holds now; null for nothing, and of a renaming.'),
  after: MessageShape.nullable().describe('What it would hold.'),
  reason: text('Why it is refused.', 'The text lacks {{name}}.').optional(),
})
const Changed = component('KeysChanged', {
  plan: text(
    'Of a dry run: names these changes on this state.',
    'e4f927de68739af7dd1d2434857fa8223e4aed89-Zk0pXv81TaQ3b7cd',
  )
    .nullable()
    .describe('Null where something is refused, and of a write without a plan.'),
  revision: revision.nullable().describe('The full id of the commit; null of a dry run, and where nothing changed.'),
  dryRun: z.boolean(),
  repeated: like(z.boolean(), false).describe('Whether the plan was carried out before; nothing was written now.'),
  counts: component(
    'ChangeResults',
    Object.fromEntries(RESULTS.map(name => [name, count('Texts by language and key.')])) as Record<
      (typeof RESULTS)[number],
      z.ZodInt
    >,
  ),
  changes: z.array(Row).describe('By language, namespace and key. Empty of a repeated plan.'),
})

/** Adds the route to a scope behind `identify`. */
export function changeRoutes(app: FastifyInstance): void {
  const schema = {
    tags: ['Bundles'],
    operationId: 'changeKeys',
    summary: 'Set, delete or rename keys in one commit, by a plan',
    description:
      'All or nothing. Texts overwrite, by the rules of a push. A dry run answers the id of a plan. With it, a write is ' +
      'refused (409) when a key has changed since, and a repeated write answers the revision of the first one. In a ' +
      'language with a review, and where the caller may only suggest, texts become suggestions.',
    querystring: z.object(flags),
    headers: projectHeaders,
    body: Changing,
    ...writing({ 200: Changed.describe('What happened to each key, or would.') }, 'not-found', 'stale', 'unfit'),
  }
  const options = { config: { permission: 'suggest' }, bodyLimit: app.limits.namespaceBody } as const
  type Change = OfProject & Flags<typeof flags> & Sends<typeof Changing>
  app.post<Change>('/api/projects/:slug/changes', { schema, ...options }, async (request, reply) => {
    const { slug } = request.params
    const { dryRun, machine } = request.query
    const { plan, message } = request.body
    const asked = requestedChanges(request.body)
    // Checking and sorting texts of megabytes was a turn's work.
    await nextTurn()
    app.writes.ask(request)
    const on = plan === undefined ? undefined : await plannedOn(request, plan, { slug, asked })
    const repeated = (revision: string) =>
      reply.send({ plan, revision, dryRun, repeated: true, counts: countsOf([]), changes: [] })
    const doneBefore = async () => (plan === undefined || dryRun ? undefined : commitOfPlan(request, plan, on!))
    const first = await doneBefore()
    if (first !== undefined) return repeated(first)
    const machineAt = machine ? secondOf(new Date()) : undefined
    const write = app.changes.written(reply, { slug, dryRun }, function* (state, compute, ask) {
      const project = admitToProject(state, slug, request)
      const context = { state, compute, project, caller: ask(permissionFor(asked, project)) }
      const options = { on, isDryRun: dryRun, machineAt, subject: message }
      const { rows, message: described, ...hints } = yield* applyChanges(context, asked, options)
      const trailers = [...(described.trailers ?? []), ...(plan === undefined ? [] : [planTrailer(plan)])]
      const result = { rows, newest: state.revision, project, caller: context.caller }
      return { result, message: { ...described, trailers }, suggests: true, ...hints }
    })
    const written = await write.catch(async error => {
      // A repeated request may have waited behind the first one.
      const done = error instanceof Failure && error.code === 'conflict' ? await doneBefore() : undefined
      if (done === undefined) throw error
      return done
    })
    if (typeof written === 'string') return repeated(written)
    const { rows, newest: before, project, caller } = written.result
    const isWritten = !dryRun && written.revision !== before
    // Behind one that only suggests, nothing is left to write.
    const done = isWritten ? undefined : await doneBefore()
    if (done !== undefined) return repeated(done)
    const newest = await shownRevision(request, written.revision)
    const counts = countsOf(rows)
    const id = dryRun && counts.refused === 0 ? planId(newest!, asked, project, caller) : null
    const revision = isWritten ? newest : null
    const head = { plan: dryRun ? id : (plan ?? null), revision, dryRun, repeated: false, counts }
    return reply.type('application/json; charset=utf-8').send(await jsonList(head, 'changes', rows))
  })
}

/** What only suggests needs less: translations become suggestions. */
function permissionFor({ set, delete: removed, rename }: RequestedChanges, { sourceLanguage }: Project): Permission {
  const isTranslation = removed.length + rename.length === 0 && set.every(one => one.language !== sourceLanguage)
  return isTranslation ? 'suggest' : 'edit'
}

function countsOf(rows: readonly ChangeRow[]): Record<ChangeRow['result'], number> {
  const counts = Object.fromEntries(RESULTS.map(name => [name, 0])) as Record<ChangeRow['result'], number>
  for (const { result } of rows) counts[result]++
  return counts
}
