/** Suggestions for texts: what someone proposes, beside the texts that apps read. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { peel } from '../bundle/message.ts'
import { checkKey, shortKey } from '../bundle/names.ts'
import { MAX_SUGGESTIONS } from '../bundle/suggestion.ts'
import { glossaryAt } from '../project/glossary-file.ts'
import { idOf as bundleId, hasLanguage, missingKey, requireProject } from '../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../project/project.ts'
import { sidecarPath } from '../project/sidecars/sidecars.ts'
import type { SuggestTextTask } from '../project/sidecars/suggest-text.ts'
import { TaskFile } from '../project/sidecars/task-file.ts'
import type { Snapshot } from '../store/store.ts'
import { idOf, json, sendRendered } from './answers/conditional.ts'
import { MessageShape, partIn, partQuery } from './bundles.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { type SuggestionPosition, suggestionPage } from './reading/suggestion-page.ts'
import { readPage, shownRevision } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import { entryAuthor } from './requests/entry-author.ts'
import { cursorOf, readCursor, readLimit, readOnce } from './requests/query.ts'
import {
  answer,
  component,
  key,
  language,
  like,
  namespace,
  next,
  type OfKey,
  type OfProject,
  paged,
  reading,
  revision,
  type Sends,
  text,
  time,
  writing,
} from './requests/shapes.ts'
import { ProblemShape } from './status.ts'
import { describe } from './writes.ts'
import type { BundleTask } from './writing/bundle-task.ts'
import { putSidecar } from './writing/sidecar-file.ts'
import { unreadTask } from './writing/unread-task.ts'

const LIMIT = { most: 100, otherwise: 50 }

const author = z
  .union([
    z.object({ id: text('The id of the user or token.', 'u4fTq9'), name: text('The name then.', 'Ann') }),
    z.string(),
  ])
  .describe('Who suggests it; a string is the name of a machine.')
  .meta({ examples: [{ id: 'u4fTq9', name: 'Ann' }] })
const stored = {
  id: text('Names the suggestion.', 'q3Zk0pXv81Ta'),
  message: MessageShape.describe('The suggested text.'),
  by: author,
  at: time,
}
/** A suggestion as a client reads it. */
export const SuggestionShape = component('Suggestion', stored)
const Suggested = component('Suggested', {
  revision: revision.nullable().describe('The full id of the commit; where nothing changed, of the newest one.'),
  suggestion: SuggestionShape,
})
const fits = like(z.boolean(), true).describe('Whether the source is the one that was translated.')
/** A suggestion beside the present texts. */
export const SuggestionRowShape = component('SuggestionRow', {
  ...{ id: stored.id, language, namespace, key, message: stored.message, by: author, at: time },
  source: MessageShape.nullable().describe('The source message; null where the source language lacks the key.'),
  present: MessageShape.nullable().describe('The present text; null where the language lacks the key.'),
  fits,
  problems: z.array(ProblemShape).describe('What the checks find in the suggested text.'),
})

const forms = z.record(z.string(), z.string())
const SuggestedValue = z
  .strictObject({
    value: z
      .union([
        z.string(),
        forms,
        z.strictObject({ text: z.string().optional(), cardinal: forms.optional(), ordinal: forms.optional() }),
      ])
      .describe(
        'A text, or for a whole plural at its base key its forms by CLDR category. A text with a plural is a message: ' +
          '`text`, `cardinal` and `ordinal`.',
      )
      .meta({ examples: ['Startseite'] }),
  })
  .meta({ id: 'SuggestedValue' })

const url = '/api/projects/:slug/suggestions'

/** Adds the routes to a scope behind `identify`. */
export function suggestionRoutes(app: FastifyInstance): void {
  const tags = ['Suggestions']
  const inTurn = inTurns('reads of suggestions')

  const list = {
    tags,
    operationId: 'listSuggestions',
    summary: 'The suggestions of a project',
    description:
      'By language, namespace and key, the oldest first. All pages are of the state that the first one was of. A page may ' +
      'end before `limit` where its texts are very long.',
    querystring: z.object({
      ...partQuery,
      key: key.optional().describe('Only this key; needs `namespace`.'),
      by: text('Only those of the user or token with this id, or of the machine with this name.', 'u4fTq9').optional(),
      ...paged(LIMIT, 'suggestions'),
    }),
    ...reading(
      z.object({ suggestions: z.array(SuggestionRowShape), next }).describe('A page of suggestions.'),
      'not-found',
      'unfit',
      'unavailable',
    ),
  }
  app.get<OfProject>(url, { schema: list, config: { permission: 'read' } }, (request, reply) => {
    const { slug, ...part } = partIn(request, request.params.slug)
    const only = readOnce(request, 'key')
    if (only !== undefined && part.namespace === undefined)
      throw new Failure('invalid', 'The query parameter key needs namespace: name the namespace of the key.')
    const wanted = { ...part, key: only === undefined ? null : peel(checkKey(only)).key, by: readOnce(request, 'by') }
    const [limit, cursor] = [readLimit(request, LIMIT), readCursor(request, CursorShape)]
    return readPage(reply, slug, cursor, snapshot => {
      const project = requireProject(snapshot, slug)
      const pinned = pinnedStateOf(request, snapshot)
      const query = { ...wanted, limit, after: cursor?.position }
      const render = () =>
        inTurn(reply, async left => {
          const page = await suggestionPage({ project, pinned, left }, query)
          const last = page.next
          const parts = last && [last.language, last.namespace, last.key, last.id]
          return json({ suggestions: page.suggestions, next: parts && cursorOf(snapshot.revision, ...parts) })
        })
      const state = [snapshot.entry(slug)!.id, glossaryAt(snapshot, undefined).id]
      return sendRendered(reply, idOf(JSON.stringify([state, query])), render, ` suggestions ${snapshot.revision}`)
    })
  })

  const suggest = {
    tags,
    operationId: 'suggestText',
    summary: 'Suggest a text for a key',
    description:
      'One commit, and no bundle changes. Needs the right to suggest in the language, or a token of scope `suggest` or ' +
      '`write`. The rules are those of a write of the key; a form is merged onto the present plural, and onto the own suggestion. A user or token has ' +
      'one suggestion for a key: a new one replaces it. ' +
      `At most ${MAX_SUGGESTIONS} suggestions wait for a key.`,
    body: SuggestedValue,
    ...writing(
      {
        200: answer(Suggested.describe('The same suggestion was there already; nothing was written.')),
        201: answer(Suggested.describe('The suggestion as stored.')),
      },
      'not-found',
      'unfit',
    ),
  }
  const options = { config: { permission: 'suggest' }, bodyLimit: app.limits.keyBody } as const
  app.post<OfKey & Sends<typeof SuggestedValue>>(
    `${url}/:language/:namespace/:key`,
    { schema: suggest, ...options },
    async (request, reply) => {
      const { slug, language, namespace, key: name } = request.params
      const bundle = { slug, language, namespace }
      const suggestion = {
        id: randomBytes(9).toString('base64url'),
        by: entryAuthor(requireCaller(request, 'suggest')),
        at: new Date().toISOString(),
      }
      const { result, revision } = await app.changes.written(reply, { slug }, (state, compute) => {
        const project = requireProject(state, slug)
        requireTranslation(state, project, language)
        const asked = { name, value: request.body.value, suggestion }
        const outcome = compute([suggestionTask(state, project, bundle, asked)])[0]!
        if (outcome.is === 'no-key') throw missingKey(name, bundle)
        if (outcome.is === 'no-text' || outcome.is === 'present') throw noSuggestion(outcome, bundle)
        const message = describe(bundle, { kind: 'suggest', key: outcome.key }, {})
        if (outcome.is === 'changed') putSidecar(state, project, { sidecar: 'suggestions', ...bundle }, outcome.file)
        const { of: _, ...shown } = outcome.suggestion
        return { result: { isNew: outcome.is === 'changed', suggestion: shown }, message }
      })
      const shown = await shownRevision(request, revision)
      return reply.code(result.isNew ? 201 : 200).send({ revision: shown, suggestion: result.suggestion })
    },
  )
}

/** What becomes of a suggestion; the worker computes it where the files are large. */
function suggestionTask(
  state: Snapshot,
  { sourceLanguage, defaultFormat: format }: Project,
  bundle: BundleName,
  asked: Pick<SuggestTextTask, 'name' | 'value' | 'suggestion'>,
): BundleTask<'suggestText'> {
  const path = sidecarPath({ sidecar: 'suggestions', ...bundle })
  const files = {
    path,
    suggestions: TaskFile.at(path, state),
    source: TaskFile.at(bundlePath({ ...bundle, language: sourceLanguage }), state),
    target: TaskFile.at(bundlePath(bundle), state),
    ...{ format, isSource: bundle.language === sourceLanguage, ...asked },
  }
  return unreadTask('suggestText', bundle, bundleId(state, bundle), { files })
}

/** @throws Failure `not-found` for a language that the project lacks */
function requireTranslation(state: Snapshot, project: Project, language: string): void {
  if (hasLanguage(state, project, language)) return
  throw new Failure('not-found', `Project "${project.slug}" has no language "${language}".`)
}

function noSuggestion({ is, key }: { is: 'no-text' | 'present'; key: string }, { language, namespace }: BundleName) {
  const name = `${JSON.stringify(shortKey(key))} of ${language}/${namespace}`
  return new Failure(
    'unfit',
    is === 'present' ? `${name} has this text already.` : `A suggestion for ${name} needs a text.`,
  )
}

/** Where a list of suggestions continues. */
interface Cursor {
  revision: string
  position: SuggestionPosition
}

const CursorShape = z
  .tuple([z.string().regex(/^[0-9a-f]{40}$/), z.string(), z.string(), z.string(), z.string()])
  .transform(([revision, language, namespace, key, id]): Cursor => {
    return { revision, position: { language, namespace, key, id } }
  })
