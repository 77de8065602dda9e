/** Accepting and rejecting suggestions: many at once, one commit. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Caller } from '../auth/access.ts'
import type { CommitAction } from '../bundle/commit-subject.ts'
import { Failure } from '../bundle/errors.ts'
import { secondOf } from '../bundle/mark.ts'
import { checkLanguage, lineFault } from '../bundle/names.ts'
import { refuseTwins } from '../project/case-twins.ts'
import { bundleAt, idOf, requireProject } from '../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../project/project.ts'
import type {
  DecidedSuggestions,
  DecideSuggestionsTask,
  SuggestionConflict,
} from '../project/sidecars/decide-suggestions.ts'
import { filesOfSidecar, type SidecarName, sidecarPath } from '../project/sidecars/sidecars.ts'
import { TaskFile } from '../project/sidecars/task-file.ts'
import type { Steps } from '../scheduling/steps.ts'
import type { CommitMessage, Snapshot, Transaction } from '../store/store.ts'
import { resolveFor, shownRevision, stateAt } from './requests/at.ts'
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
  text,
  writing,
} from './requests/shapes.ts'
import { putFile } from './writes.ts'
import type { BundleTask } from './writing/bundle-task.ts'
import { commitMessage, namedNamespaces } from './writing/commit-message.ts'
import type { AskPermission } from './writing/permitted-writes.ts'
import { putSidecar } from './writing/sidecar-file.ts'
import { unreadTask } from './writing/unread-task.ts'
import { isReviewer, noReviewer } from './writing/within-rights.ts'

/** Maximum of ids in a request. */
const MOST_IDS = 1_000
/** Maximum characters of a reason. */
const MAX_REASON = 500

const chosen = {
  language,
  ids: like(z.array(z.string()).min(1).max(MOST_IDS).optional(), ['q3Zk0pXv81Ta']).describe('The suggestions by id.'),
  by: text('All of the user or token with this id, or of the machine with this name.', 'u4fTq9').optional(),
  revision: revision
    .optional()
    .describe('Those that this commit brought, such as a push. Renamed namespaces have none.'),
}
const isChosen = (choice: Partial<Record<'ids' | 'by' | 'revision', unknown>>) =>
  [choice.ids, choice.by, choice.revision].some(one => one !== undefined)
const CHOOSE = 'it needs "ids", "by" or "revision"'
const Accepting = z
  .strictObject({
    ...chosen,
    anyway: like(z.boolean().optional(), false).describe('Accepts those with a changed source, too.'),
    values: z
      .record(z.string(), z.union([z.string(), z.record(z.string(), z.unknown())]))
      .optional()
      .describe('By id, the text to write in place of the suggested one: a text, a message, or forms by category.')
      .meta({ examples: [{ q3Zk0pXv81Ta: 'Startseite' }] }),
  })
  .refine(isChosen, CHOOSE)
  .meta({ id: 'Accepting' })
const Rejecting = z
  .strictObject({ ...chosen, reason: text('Why; one line, in the commit.', 'Too formal').optional() })
  .refine(isChosen, CHOOSE)
  .meta({ id: 'Rejecting' })
const shown = revision.nullable().describe('The full id of the commit; where nothing changed, of the newest one.')
const conflicts = z
  .array(
    z.object({
      ...{ id: text('Of the suggestion.', 'q3Zk0pXv81Ta'), namespace: namespace.nullable(), key: key.nullable() },
      why: z
        .enum(['source-changed', 'gone', 'own'])
        .describe('`gone`: no such suggestion, or no such key. `own`: another person has to accept it.'),
    }),
  )
  .describe('Suggestions that stay. Of an unknown id, `namespace` and `key` are null.')
  .meta({ examples: [[]] })
const Accepted = component('Accepted', { revision: shown, accepted: count('Accepted suggestions.', 1), conflicts })
const Rejected = component('Rejected', { revision: shown, rejected: count('Rejected suggestions.', 1), conflicts })

/** The suggestions of a request. */
interface Choice {
  slug: string
  language: string
  ids: readonly string[] | null
  by: string | null
  revision: string | null
}

/** Adds the routes to a scope behind `identify`. */
export function decideRoutes(app: FastifyInstance): void {
  const tags = ['Suggestions']
  const url = '/api/projects/:slug/suggestions'
  const options = { config: { permission: 'edit' }, bodyLimit: app.limits.keyBody } as const

  const accept = {
    tags,
    operationId: 'acceptSuggestions',
    summary: 'Accept suggestions',
    description:
      'Writes their texts in one commit, and approves them. Needs the right to review the language. Other suggestions for ' +
      'the keys stay. Those in `conflicts` stay, too.',
    body: Accepting,
    ...writing({ 200: Accepted.describe('How many were accepted.') }, 'not-found', 'unfit'),
  }
  app.post<OfProject & Sends<typeof Accepting>>(
    `${url}/accept`,
    { schema: accept, ...options },
    async (request, reply) => {
      const { anyway = false, values = {} } = request.body
      const choice = choiceOf(request.params.slug, request.body)
      const at = secondOf(new Date())
      const done = await decide(reply, choice, (project, caller) => {
        if (!isReviewer(caller, choice)) throw noReviewer(caller, choice)
        const fourEyes = project.review?.[choice.language]?.fourEyes === true
        return { accept: { by: entryAuthor(caller), at, anyway, fourEyes, values } }
      })
      return reply.send({ revision: done.revision, accepted: done.count, conflicts: done.conflicts })
    },
  )

  const reject = {
    tags,
    operationId: 'rejectSuggestions',
    summary: 'Reject or withdraw suggestions',
    description:
      'Removes them in one commit. Needs the right to review the language; their author withdraws them with the right to ' +
      'suggest.',
    body: Rejecting,
    ...writing({ 200: Rejected.describe('How many were rejected.') }, 'not-found', 'unfit'),
  }
  app.post<OfProject & Sends<typeof Rejecting>>(
    `${url}/reject`,
    { schema: reject, ...options, config: { permission: 'suggest' } },
    async (request, reply) => {
      const reason = reasonIn(request.body.reason)
      const choice = choiceOf(request.params.slug, request.body)
      const done = await decide(reply, choice, (_project, caller) => {
        const onlyBy = isReviewer(caller, choice) ? undefined : caller.id
        if (onlyBy !== undefined && (choice.by ?? onlyBy) !== onlyBy) throw noReviewer(caller, choice)
        return { accept: null, onlyBy, reason }
      })
      return reply.send({ revision: done.revision, rejected: done.count, conflicts: done.conflicts })
    },
  )
}

const choiceOf = (slug: string, { language, ids, by, revision }: z.infer<typeof Rejecting>): Choice => ({
  ...{ slug, language: checkLanguage(language), ids: ids ?? null, by: by ?? null, revision: revision ?? null },
})

function reasonIn(given: string | undefined): string | undefined {
  const reason = given?.replaceAll(/\s+/g, ' ').trim()
  if (reason === undefined || reason === '') return undefined
  const fault = lineFault(reason, MAX_REASON)
  if (fault !== undefined) throw new Failure('invalid', `The body does not fit: "reason" ${fault}.`)
  return reason
}

/** The states before and after a commit. */
interface CommitStates {
  before: Snapshot
  after: Snapshot
}

/** What a caller may decide, asked for in the queue. */
type DecisionBy = (
  project: Project,
  caller: Caller,
) => Pick<DecideSuggestionsTask, 'accept'> & {
  /** The caller may remove only suggestions of the author with this id. */
  onlyBy?: string | undefined
  reason?: string | undefined
}

/** Decides in the files of a language. */
async function decide(reply: FastifyReply, choice: Choice, decisionBy: DecisionBy) {
  const { request } = reply
  const { slug, language } = choice
  const commit = choice.revision === null ? null : await resolveFor(request, choice.revision, slug)
  const change = function* (
    state: Transaction,
    compute: (tasks: BundleTask<'decideSuggestions'>[]) => DecidedSuggestions[],
    ask: AskPermission,
  ) {
    const project = requireProject(state, slug)
    const caller = ask('suggest')
    const { accept, onlyBy, reason } = decisionBy(project, caller)
    const bundles = filesOfSidecar(state, slug, 'suggestions').flatMap(file =>
      file.language === language ? [{ slug, language, namespace: file.namespace }] : [],
    )
    const after = commit && stateAt(state, commit.revision)
    const states = after && { before: stateAt(state, after.commitOrigin()?.parent ?? null), after }
    const tasks: BundleTask<'decideSuggestions'>[] = []
    for (const bundle of bundles) {
      tasks.push(taskOf(state, project, bundle, { accept, ids: choice.ids, by: choice.by, states }))
      yield
    }
    const answers = compute(tasks)
    if (onlyBy !== undefined && answers.some(({ authors, keys }) => !isOnlyOf(onlyBy, authors, keys)))
      throw noReviewer(caller, choice)
    yield* putDecided(state, project, bundles, answers, accept !== null)
    const decided = { bundles, answers, isAccept: accept !== null, reason }
    const changes = answers.length === 1 ? { bundle: bundles[0]!, keys: answers[0]!.changes } : undefined
    return { result: summary(choice, decided), message: describe(choice, decided), changes }
  }
  const { result, revision } = await request.server.changes.written(reply, { slug }, change)
  return { ...result, revision: await shownRevision(request, revision) }
}

const isOnlyOf = (id: string, authors: readonly string[], keys: readonly string[]) =>
  authors.length === keys.length && authors.every(author => author === id)

function taskOf(
  state: Snapshot,
  { sourceLanguage, defaultFormat: format }: Project,
  bundle: BundleName,
  { states, ...asked }: Pick<DecideSuggestionsTask, 'accept' | 'ids' | 'by'> & { states: CommitStates | null },
): BundleTask<'decideSuggestions'> {
  const pathOf = (sidecar: SidecarName) => sidecarPath({ sidecar, ...bundle })
  const paths = { suggestions: pathOf('suggestions'), marks: pathOf('marks') }
  const suggestionsIn = (state: Snapshot) => TaskFile.at(paths.suggestions, state)
  const files = {
    paths,
    suggestions: suggestionsIn(state),
    marks: TaskFile.at(paths.marks, state),
    source: TaskFile.at(bundlePath({ ...bundle, language: sourceLanguage }), state),
    target: TaskFile.at(bundlePath(bundle), state),
    commit: states && { before: suggestionsIn(states.before), after: suggestionsIn(states.after) },
    ...{ format, isSource: bundle.language === sourceLanguage },
  }
  const settings = asked.accept && [asked.accept.by, asked.accept.fourEyes]
  const rest = { input: asked, name: JSON.stringify(settings) }
  return unreadTask('decideSuggestions', bundle, idOf(state, bundle), { files, rest })
}

function* putDecided(
  state: Transaction,
  project: Project,
  bundles: readonly BundleName[],
  answers: readonly DecidedSuggestions[],
  isAccept: boolean,
): Steps<void> {
  for (const [at, { keys, suggestions, marks, file }] of answers.entries()) {
    yield
    if (keys.length === 0) continue
    const bundle = bundles[at]!
    const { id, exists } = bundleAt(state, bundle)
    if (file.kind === 'written' && !exists) refuseTwins(state, project, bundle)
    putFile(state, bundle, file, id)
    putSidecar(state, project, { sidecar: 'suggestions', ...bundle }, suggestions)
    if (isAccept) putSidecar(state, project, { sidecar: 'marks', ...bundle }, marks)
  }
}

/** What became of the suggestions of a request. */
interface Decided {
  bundles: readonly BundleName[]
  answers: readonly DecidedSuggestions[]
  isAccept: boolean
  reason: string | undefined
}

type ShownConflict = Omit<SuggestionConflict, 'key'> & { namespace: string | null; key: string | null }

function summary({ ids }: Choice, { bundles, answers }: Decided): { count: number; conflicts: ShownConflict[] } {
  const found = new Set(answers.flatMap(({ found }) => found))
  const unknown = (ids ?? []).filter(id => !found.has(id))
  const conflicts = answers.flatMap(({ conflicts }, at) =>
    conflicts.map(({ id, key, why }): ShownConflict => ({ id, namespace: bundles[at]!.namespace, key, why })),
  )
  for (const id of new Set(unknown)) conflicts.push({ id, namespace: null, key: null, why: 'gone' })
  return { count: answers.reduce((sum, { keys }) => sum + keys.length, 0), conflicts }
}

function describe({ slug, language }: Choice, { bundles, answers, isAccept, reason }: Decided): CommitMessage {
  const changed = answers.flatMap((answer, at) => (answer.keys.length > 0 ? [{ ...answer, bundle: bundles[at]! }] : []))
  const keys = changed.flatMap(({ keys }) => keys)
  const namespaces = changed.map(({ bundle }) => bundle.namespace).sort()
  const verb = isAccept ? 'accept' : 'reject'
  const action: CommitAction =
    keys.length === 1 ? { kind: verb, key: keys[0]! } : { kind: `${verb}-texts`, count: keys.length }
  const part = namespaces.length === 1 ? { language, namespace: namespaces[0]! } : {}
  const sum = (name: 'added' | 'updated') => changed.reduce((sum, answer) => sum + answer[name], 0)
  const message = commitMessage(
    { slug, ...part, ...action },
    {
      ...{ slug, languages: [language], namespaces: namedNamespaces(namespaces) },
      ...(isAccept && { counts: { added: sum('added'), updated: sum('updated') } }),
    },
  )
  if (reason === undefined) return message
  return { ...message, trailers: [...(message.trailers ?? []), ['Parlance-Reason', reason]] }
}
