/** Undoes what one commit did to a project, on top of what it is now, in one commit. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Caller } from '../auth/access.ts'
import { Failure } from '../bundle/errors.ts'
import { checkSlug, shortKey } from '../bundle/names.ts'
import { bundleAt } from '../project/layout.ts'
import { bundlePath } from '../project/project.ts'
import { type CommitStates, Reversion, type RevertPlan } from '../project/revert.ts'
import type { BranchCommit, CommitMessage, ReadOnlyStore, Snapshot, Transaction } from '../store/store.ts'
import { resolveFor, stateAt } from './at.ts'
import { checkShape, readJson } from './body.ts'
import { KeyChangeRow } from './bundles.ts'
import { requireCaller } from './caller.ts'
import { inTurns } from './client-gone.ts'
import type { Computing, Part } from './computing.ts'
import { checkPreconditions, entityTag } from './conditional.ts'
import { FieldsShape } from './diff.ts'
import type { PermittedWrites } from './permitted-writes.ts'
import { readFlags } from './query.ts'
import { apply, presentOf } from './restore.ts'
import { answer, component, count, flag, language, like, namespace, revision, slug, text, writing } from './shapes.ts'

const Reverting = z.strictObject({
  revision: text(
    'The commit to undo, one of the main line: its id (full or abbreviated), or whatever else names it.',
    'e4f927de68739af7dd1d2434857fa8223e4aed89',
  ),
})
const Reverted = component('Reverted', {
  revision: revision.describe('The full id of the commit that is undone.'),
  undoneBy: like(revision.nullable(), '1f7a7a472abf3dd9643fd615f6da379c4acb3e3a').describe(
    'The full id of the commit that undoes it, and can be undone itself; null when nothing was left to undo, or on a dry run.',
  ),
  reverted: count('Keys of which something went back; a plural is one key. 0: nothing was left to undo.', 2),
  skipped: like(z.array(z.object({ language, namespace, key: z.string(), reason: z.string() })), []).describe(
    'Keys that stay as they are, wholly or in part, and why: the first 1,000, fewer where they are long.',
  ),
  moreSkipped: z.int().min(1).optional().describe('How many keys are skipped beyond those in `skipped`.'),
  project: z
    .object({ before: FieldsShape, after: FieldsShape, reason: z.string().optional() })
    .optional()
    .describe("The project's own fields, when the commit changed them: now and then; `reason` says why any stay."),
  dryRun: z.boolean(),
  changes: z
    .array(KeyChangeRow)
    .optional()
    .describe('On a dry run and with `details=true`: the first 1,000 changes, fewer where their texts are long.'),
  more: z.int().optional().describe('How many changes there are beyond those in `changes`.'),
})

const headers = z.object({
  'if-match': z
    .string()
    .optional()
    .describe('`*` or the entity tag that the project must still have: that of its manifest.'),
  'if-none-match': z.string().optional().describe('`*`: there must be no such project now.'),
})

/** Adds the route to a scope behind `identify`. @param bodyLimit in bytes */
export function revertRoutes(
  app: FastifyInstance,
  store: ReadOnlyStore,
  writes: PermittedWrites,
  computing: Computing,
  bodyLimit: number,
): void {
  const inTurn = inTurns('undos')
  const revert = {
    tags: ['Projects'],
    params: z.object({ slug }),
    operationId: 'revertRevision',
    summary: 'Undo what one commit did to a project',
    description:
      'Key by key, on top of what the project is now, in one commit: texts and forms that are still as that commit left them ' +
      'go back to what they were before it; what has changed since stays and is told. Bundles that it made go, those that it ' +
      'deleted come back, and so do name and format; that takes the role owner or admin, or a token that may write. An undo ' +
      'is a commit too, and can be undone.',
    querystring: z.object({
      dryRun: flag.describe('`true`: the same answer with `changes`, and nothing is written.'),
      details: flag.describe('`true`: the answer tells the keys that change.'),
    }),
    headers,
    body: Reverting,
    ...writing(
      { 200: answer(Reverted.describe('What went back. The `ETag` is that of the manifest.'), 'ETag') },
      'not-found',
      'stale',
      'unfit',
    ),
  }
  app.post<{ Params: { slug: string } }>('/api/projects/:slug/revert', { schema: revert }, async (request, reply) => {
    const slug = checkSlug(request.params.slug)
    const caller = requireCaller(request, 'edit')
    const flags = readFlags(request, ['dryRun', 'details'])
    const named = checkShape(Reverting, await readJson(request, bodyLimit)).revision
    const tells = flags.dryRun || flags.details
    writes.ask(request, 'edit')
    const commit = await findCommit(caller, store, named, slug)
    return inTurn(reply, async () => {
      const target = { permission: 'edit', slug, dryRun: flags.dryRun } as const
      const { result, revision } = await computing.written({ request, reply }, target, function* (state, compute, ask) {
        const { revision: newest } = state
        const statesIn = statesOf(commit)
        const states = statesIn(state)
        const reversion = new Reversion(state, states, slug, commit.revision)
        if (reversion.projectFile()) ask('manage-projects')
        const present = presentOf(state, { slug })
        checkPreconditions(request.headers, present, 'project')
        const changed = yield* reversion.changed()
        const parts: Part<'revert'>[] = []
        for (const bundle of changed) {
          parts.push(partOf(bundle, state, reversion, { statesIn, tells }))
          yield
        }
        const outcomes = compute(parts)
        yield
        const plan = yield* reversion.plan(changed, outcomes)
        yield
        if (!flags.dryRun) yield* apply(state as Transaction, plan)
        // Asked last: the notes of what is stale are part of a project.
        const tag = () => presentOf(state, { slug }).id
        const origin = { state: states.before, part: { slug }, until: states.after }
        return { result: { plan, tag, newest }, message: describe(slug, commit, plan), origin }
      })
      const undoneBy = flags.dryRun || revision === result.newest ? null : revision
      const shape = { undoneBy, tells, dryRun: flags.dryRun }
      return reply.header('etag', entityTag(result.tag())).send(shown(commit, result.plan, shape))
    })
  })
}

/** @throws Failure `not-found` for a state that is no commit of the branch, and as `store.resolve` does */
async function findCommit(caller: Caller, store: ReadOnlyStore, named: string, slug: string): Promise<BranchCommit> {
  const { revision } = await resolveFor(caller, store, named, slug)
  if (revision !== null) return store.commit(caller.organization, revision)
  throw new Failure('not-found', `There was no revision yet at ${JSON.stringify(named)}.`)
}

type StatesIn = (now: Snapshot) => CommitStates

/** Finds the states of a commit and of its parent; asked for each of many bundles, and mostly of one state. */
function statesOf({ revision, parent }: BranchCommit): StatesIn {
  let found: (CommitStates & { now: Snapshot }) | undefined
  return now => {
    if (found?.now !== now) found = { now, before: stateAt(now, parent), after: stateAt(now, revision) }
    return found
  }
}

/** The files of now, and of before and after the commit. */
function partOf(
  bundle: Part['bundle'],
  now: Snapshot,
  reversion: Reversion,
  { statesIn, tells }: { statesIn: StatesIn; tells: boolean },
): Part<'revert'> {
  const { id, exists } = bundleAt(now, bundle)
  const path = bundlePath(bundle)
  return {
    name: 'revert',
    bundle,
    id,
    format: reversion.format,
    variant: `${exists} ${reversion.target}`,
    more: state => {
      const { before, after } = statesIn(state)
      return (before.read(path)?.length ?? 0) + (after.read(path)?.length ?? 0)
    },
    task: ({ bytes }, _inThread, state) => reversion.taskOf(bundle, exists ? bytes : null, statesIn(state), tells),
  }
}

function shown(
  { revision }: BranchCommit,
  { counts, changes, project, skipped, skippedKeys }: RevertPlan,
  { undoneBy, dryRun, tells }: { undoneBy: string | null; dryRun: boolean; tells: boolean },
): z.infer<typeof Reverted> {
  const reverted = counts.added + counts.updated + counts.removed
  const moreSkipped = skippedKeys - skipped.length
  return {
    revision,
    undoneBy,
    reverted,
    skipped,
    ...(moreSkipped > 0 && { moreSkipped }),
    ...(project && { project }),
    dryRun,
    ...(tells && { changes, more: reverted - changes.length }),
  }
}

/** Undoing an undo is a redo. */
function describe(slug: string, { revision, subject, body }: BranchCommit, { counts }: RevertPlan): CommitMessage {
  const [, part, said] = subject.startsWith(slug) ? (/^( [^:]*)?: (.+)$/s.exec(subject.slice(slug.length)) ?? []) : []
  const what = said ?? subject
  const again = /^Parlance-Reverted: /m.test(body) ? /^(undo|redo) (.*)$/s.exec(what) : null
  const verb = again?.[1] === 'undo' ? 'redo' : 'undo'
  return {
    subject: `${slug}${said === undefined ? '' : (part ?? '')}: ${verb} ${shortKey(again?.[2] ?? what)}`,
    trailers: [
      ['Parlance-Project', slug],
      ['Parlance-Added', String(counts.added)],
      ['Parlance-Updated', String(counts.updated)],
      ['Parlance-Removed', String(counts.removed)],
      ['Parlance-Reverted', revision],
    ],
  }
}
