/** Undoes what commits did to a project, on top of what it is now, in one commit. */

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { may } from '../auth/access.ts'
import type { CommitSubject } from '../bundle/commit-subject.ts'
import { Failure } from '../bundle/errors.ts'
import type { RevertPlan } from '../project/revert-plan.ts'
import type { DivertedBundle } from '../project/sidecars/divert-texts.ts'
import type { StaleCounts } from '../project/stale.ts'
import type { BranchCommit, CommitMessage, Snapshot } from '../store/store.ts'
import { checkPreconditions, entityTag } from './answers/conditional.ts'
import { previewed, previewFlags } from './bundles.ts'
import { resolveFor } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import {
  answer,
  component,
  count,
  FieldsShape,
  type Flags,
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
import { presentOf } from './restore.ts'
import { withSuggested } from './writes.ts'
import { commitMessage } from './writing/commit-message.ts'
import type { AskPermission } from './writing/permitted-writes.ts'
import { applyPlan, planUndo } from './writing/plan-revert.ts'

/** Commits that one request may undo. */
const MOST_COMMITS = 100

const Commit = text(
  'The commit to undo, one of the main line: its id (full or abbreviated), or another name of it.',
  'e4f927de68739af7dd1d2434857fa8223e4aed89',
)
const Reverting = z.strictObject({
  revision: Commit.optional(),
  revisions: z
    .array(Commit)
    .min(1)
    .max(MOST_COMMITS)
    .optional()
    .describe('In place of `revision`: commits to undo together, in any order. Several need git on the server.'),
})
const Reverted = component('Reverted', {
  revision: revision.describe('The full id of the commit that is undone, of several the newest.'),
  revisions: z
    .array(revision)
    .optional()
    .describe('When `revisions` was given: the full ids of the commits that are undone, newest first.'),
  undoneBy: like(revision.nullable(), '1f7a7a472abf3dd9643fd615f6da379c4acb3e3a').describe(
    'The full id of the commit that undoes it, and can be undone itself; null when nothing was left to undo, or on a dry run.',
  ),
  reverted: count('Keys that went back, wholly or in part; a plural is one key.', 2),
  suggested: z.int().min(0).optional().describe('Keys with texts that wait for a review; they did not go back.'),
  stale: z
    .object({
      added: count(
        'They are stale by it and were not: their confirmation was undone, or a text that followed the source.',
        1,
      ),
      removed: count('They were stale and are no longer.', 0),
    })
    .optional()
    .describe('Translations that become stale or stop being stale, if any.'),
  skipped: like(z.array(z.object({ language, namespace, key: z.string(), reason: z.string() })), []).describe(
    'Keys that stay as they are, wholly or in part, and why: the first 1,000, fewer where they are long.',
  ),
  moreSkipped: z.int().min(1).optional().describe('How many keys are skipped beyond those in `skipped`.'),
  project: z
    .object({ before: FieldsShape, after: FieldsShape, reason: z.string().optional() })
    .optional()
    .describe("The project's own fields, when the commit changed them: now and then; `reason` says why any stay."),
  ...previewed,
})

/** Adds the route to a scope behind `identify`. */
export function revertRoutes(app: FastifyInstance): void {
  const inTurn = inTurns('undos')
  const revert = {
    tags: ['Projects'],
    operationId: 'revertRevision',
    summary: 'Undo what a commit did to a project, or several',
    description:
      'One commit reverts key by key, on top of the present project. Texts and forms that are still as that commit left them ' +
      'go back to what they were before it. Texts that changed since stay, and the answer lists them as skipped. Bundles that ' +
      'the commit added go, and bundles that it deleted return. Name and format go back, too, which needs the role owner or ' +
      'admin, or a token that may write. An undo is a commit and can be undone. Several commits are undone in one commit, ' +
      'from the newest to the oldest, each on top of the result of the one before. A token of scope `suggest` undoes its own ' +
      'commits alone: that withdraws its suggestions and comments.',
    querystring: previewFlags,
    headers: projectHeaders,
    body: Reverting,
    ...writing(
      { 200: answer(Reverted.describe('What went back. The `ETag` is that of the manifest.'), 'ETag') },
      'not-found',
      'stale',
      'unfit',
    ),
  }
  type Revert = OfProject & Flags<typeof previewFlags.shape> & Sends<typeof Reverting>
  const config = { permission: 'suggest' } as const
  app.post<Revert>('/api/projects/:slug/revert', { schema: revert, config }, async (request, reply) => {
    const { slug } = request.params
    const flags = request.query
    const names = namedIn(request.body)
    const listsChanges = flags.dryRun || flags.details
    app.writes.ask(request)
    const commits = await findCommits(request, names.all, slug)
    return inTurn(reply, async () => {
      const target = { slug, dryRun: flags.dryRun, rounds: commits.length }
      const { result, revision, diverted } = await app.changes.written(reply, target, function* (state, compute, ask) {
        const { revision: newest } = state
        refuseOthersCommits(state, commits, ask)
        const present = presentOf(state, { slug })
        const check = () => checkPreconditions(request.headers, present, 'project')
        const { plan, stale, ...hints } = yield* planUndo({
          state,
          slug,
          commits,
          listsChanges,
          compute,
          ask,
          check,
        })
        yield
        yield* applyPlan(state, plan)
        // Read last, as stale notes belong to a project. A dry run answers with the present tag.
        const tag = () => presentOf(flags.dryRun ? state.before : state, { slug }).id
        return { result: { plan, stale, tag, newest }, message: describe(slug, commits, plan), ...hints }
      })
      const undoneBy = flags.dryRun || revision === result.newest ? null : revision
      const shape = { undoneBy, listsChanges, dryRun: flags.dryRun, isList: names.isList, diverted }
      return reply.header('etag', entityTag(result.tag())).send(answerOf(commits, result, shape))
    })
  })
}

/** @throws Failure `invalid` unless exactly one of both members is there */
function namedIn({ revision, revisions }: z.infer<typeof Reverting>): { all: string[]; isList: boolean } {
  if ((revision === undefined) === (revisions === undefined)) {
    throw new Failure('invalid', 'Name the commit to undo as "revision", or several as "revisions".')
  }
  return { all: revisions ?? [revision!], isList: revisions !== undefined }
}

/**
 * The commits, each once, the newest first.
 * @throws Failure `not-found` for a state that is no commit of the branch, and as `store.resolve` and `store.inOrder`
 * do
 */
async function findCommits(request: FastifyRequest, names: readonly string[], slug: string): Promise<BranchCommit[]> {
  const { organization } = requireCaller(request, 'suggest')
  const { store } = request.server
  const found = new Map<string, BranchCommit>()
  for (const name of names) {
    const { revision } = await resolveFor(request, name, slug)
    if (revision === null) throw new Failure('not-found', `There was no revision yet at ${JSON.stringify(name)}.`)
    if (!found.has(revision)) found.set(revision, await store.commit(organization, revision))
  }
  return store.inOrder(organization, [...found.values()])
}

/** @throws Failure `forbidden` for the commit of another author to a caller who may only suggest */
function refuseOthersCommits(state: Snapshot, commits: readonly BranchCommit[], ask: AskPermission): void {
  const caller = ask('suggest')
  if (may(caller, 'edit')) return
  const isOwn = ({ revision }: BranchCommit) => state.at(revision).commitOrigin()?.author.email === caller.email
  if (!commits.every(isOwn)) ask('edit')
}

type RevertCounts = RevertPlan['counts'] & { suggested?: number }

interface AnswerShape {
  undoneBy: string | null
  dryRun: boolean
  listsChanges: boolean
  isList: boolean
  diverted: readonly DivertedBundle[]
}

function answerOf(
  commits: readonly BranchCommit[],
  {
    plan: { counts: planned, changes, project, skipped, skippedKeys },
    stale,
  }: { plan: RevertPlan; stale: StaleCounts },
  { undoneBy, dryRun, listsChanges, isList, diverted }: AnswerShape,
): z.infer<typeof Reverted> {
  let counts: RevertCounts = planned
  for (const bundle of diverted) counts = withSuggested(counts, bundle)
  const { added, updated, removed, suggested } = counts
  const reverted = added + updated + removed
  const moreSkipped = skippedKeys - skipped.length
  return {
    revision: commits[0]!.revision,
    ...(isList && { revisions: commits.map(({ revision }) => revision) }),
    undoneBy,
    reverted,
    ...(suggested !== undefined && { suggested }),
    ...(stale.added + stale.removed > 0 && { stale }),
    skipped: [...skipped, ...diverted.flatMap(fullIn)],
    ...(moreSkipped > 0 && { moreSkipped }),
    ...(project && { project }),
    dryRun,
    ...(listsChanges && { changes, more: reverted - changes.length }),
  }
}

const fullIn = ({ language, namespace, full }: DivertedBundle) =>
  full.map(key => ({ language, namespace, key, reason: 'It has 20 suggestions: accept or reject some first.' }))

/** Undoing an undo is a redo. */
function describe(slug: string, commits: readonly BranchCommit[], { counts }: RevertPlan): CommitMessage {
  const undone: CommitSubject = { slug, kind: 'undo-commits', count: commits.length }
  return commitMessage(commits.length === 1 ? subjectFor(slug, commits[0]!) : undone, {
    slug,
    counts,
    reverted: commits.map(({ revision }) => revision),
  })
}

function subjectFor(slug: string, { subject, body }: BranchCommit): CommitSubject {
  const [, part, said] = subject.startsWith(slug) ? (/^( [^:]*)?: (.+)$/s.exec(subject.slice(slug.length)) ?? []) : []
  const what = said ?? subject
  const again = /^Parlance-Reverted: /m.test(body) ? /^(undo|redo) (.*)$/s.exec(what) : null
  const kind = again?.[1] === 'undo' ? 'redo' : 'undo'
  return { slug, language: part?.trim(), kind, what: again?.[2] ?? what }
}
