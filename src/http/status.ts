/** How far a project's translations are: numbers by language and namespace, and the keys behind them. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CHECK_KINDS } from '../bundle/checks/check-settings.ts'
import { Failure } from '../bundle/errors.ts'
import { KEY_FILTERS, KEY_MARKS, type KeyFilter } from '../bundle/status.ts'
import { glossaryAt } from '../project/glossary-file.ts'
import { requireLanguage, requireNamespaces, requireProject } from '../project/layout.ts'
import type { StatusPart } from '../project/status.ts'
import type { Snapshot } from '../store/store.ts'
import { idOf, json, sendRendered } from './answers/conditional.ts'
import { jsonList } from './answers/json-list.ts'
import { MessageShape, partIn, partQuery } from './bundles.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { StatusCache } from './reading/status-cache.ts'
import { type StatusPosition, statusPage } from './reading/status-keys.ts'
import { askedAt, atParameter, readPage, readShownAt } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import { cursorOf, readCursor, readLimit, readOnce, readRequired } from './requests/query.ts'
import {
  component,
  count,
  key,
  language,
  like,
  namespace,
  next,
  type OfProject,
  paged,
  reading,
  revision,
  text,
} from './requests/shapes.ts'

const LIMIT = { most: 1_000, otherwise: 100 }

const counts = {
  keys: count('Keys of the source language; a plural is one. Each is missing, empty, incomplete or translated.', 12),
  translated: count('Keys that lack nothing.', 8),
  empty: count('Keys with a text or form that is `""`.', 1),
  incomplete: count('Keys that lack a plural form which the language has, or the text that the source has.', 1),
  missing: count('Keys that are not there.', 2),
  stale: count('Filled keys with a source that changed after the translation was written.', 1),
  problems: count('Filled keys with a fault that is not dismissed, by a check that is not switched off.', 1),
  extra: count('Keys that the source language does not have, and that are not counted in `keys`.'),
  approved: count('Keys with an approval that holds for their text and source.', 5),
  machine: count('Keys with a text of a machine that has not changed since.', 1),
  suggested: count('Keys with a suggestion that waits; extra keys count, too.', 1),
}
const LanguageStatus = component('LanguageStatus', {
  language,
  ...counts,
  namespaces: z.array(component('NamespaceStatus', { namespace, ...counts })),
})
const Status = component('Status', {
  revision: revision.describe('The full id of the commit of this state.'),
  sourceLanguage: language.describe('The language that texts are written in first.'),
  languages: z.array(LanguageStatus).describe('By language; the source language has a row too.'),
})

const mark = z.enum(KEY_MARKS)
const differing = like(z.array(z.string()), ['{{name}}'])
/** A problem of a text. */
export const ProblemShape = component('TextProblem', {
  form: like(z.string().optional().describe('The form (`few`, `ordinal_few`); absent of a text.'), 'few'),
  kind: z.enum(CHECK_KINDS).describe('The check.'),
  missing: differing.describe(
    'What only the source has: placeholders, of `space` the ends `start` and `end`, of `control` characters (`U+200B`), ' +
      'of `term` the best word for each term.',
  ),
  extra: differing.describe('What only the translation has; of `avoid` the forbidden words.'),
  terms: like(z.array(z.object({ term: z.string(), use: z.array(z.string()) })).optional(), [
    { term: 'cart', use: ['Warenkorb'] },
  ]).describe('Of `term` and `avoid`: the terms of the glossary with the words to use.'),
  length: like(z.int().optional().describe('Of `length`: the characters of the text.'), 27),
  max: like(z.int().optional().describe('Of `length`: the maximum of the note.'), 24),
})
const at = like(z.string().describe('UTC, to the second.'), '2026-11-22T09:30:00Z')
const Author = z.object({ id: z.string(), name: z.string() })
const of = text('The digest of the source and the text.', '3f1c0b7a9d2e4f68')
const Approval = component('TextApproval', { at, by: like(Author, { id: 'u4fTq9', name: 'Ann' }), of })
const MachineMark = component('MachineMark', {
  at,
  by: like(z.union([z.string(), Author]), 'deepl').describe("A machine's name, or the user or token that asked it."),
  of,
})
/** A key with what its translation lacks. */
export const KeyStatusShape = component('KeyStatus', {
  namespace,
  key,
  is: like(z.array(mark), ['incomplete', 'stale']),
  source: MessageShape.nullable().describe('Null of an extra key.'),
  message: MessageShape.nullable().describe('Null of a missing key.'),
  sourceThen: MessageShape.optional().describe('Of a stale key: the source message at the time of the translation.'),
  forms: like(z.array(z.string()).optional().describe('The forms that it lacks (`few`, `ordinal_few`).'), ['few']),
  problems: z.array(ProblemShape).optional().describe('By form and kind.'),
  dismissed: z.array(ProblemShape).optional().describe('Problems that are dismissed for this text: they do not count.'),
  approved: Approval.optional().describe('The approval that holds for this text and its source.'),
  machine: MachineMark.optional().describe('Present where a machine wrote this text.'),
})

/** Adds the routes to a scope behind `identify`. @param cacheBytes for what is counted */
export function statusRoutes(app: FastifyInstance, cacheBytes: number): void {
  const tags = ['Status']
  const cache = new StatusCache((cacheBytes / 8) * 7)
  // Old states have a cache of their own: reads of the history evict nothing from the cache of daily reads.
  const past = new StatusCache(cacheBytes / 8)
  const inTurn = inTurns('reads of a status')

  const read = {
    tags,
    operationId: 'getStatus',
    summary: 'How far the translations of a project are',
    description:
      'Numbers of keys by language and namespace. The `ETag` changes with any file of the project and with the glossary of ' +
      'the organization, not with other projects. Without that glossary, its opaque part is the git tree id of the project.',
    querystring: z.object({
      ...partQuery,
      at: atParameter,
    }),
    ...reading(Status.describe('The numbers.'), 'not-found', 'unfit', 'unavailable'),
  }
  app.get<OfProject>('/api/projects/:slug/status', { schema: read }, (request, reply) => {
    const { slug, ...part } = partIn(request, request.params.slug)
    const counted = askedAt(request) === undefined ? cache : past
    return readShownAt(reply, slug, snapshot => {
      const { revision } = snapshot
      const { id, asked } = beginning(request, snapshot, slug, part)
      const render = () =>
        inTurn(reply, async left => {
          const rows = await counted.of({ ...asked, left }, part)
          return jsonList({ revision, sourceLanguage: asked.project.sourceLanguage }, 'languages', rows)
        })
      const variant = ` status ${revision} ${part.language ?? ''} ${part.namespace ?? ''}`
      return sendRendered(reply, id, render, variant)
    })
  })

  const readKeys = {
    tags,
    operationId: 'getStatusKeys',
    summary: 'The missing, stale and otherwise reported keys of a language',
    description:
      'By namespace and key. All pages are of the state that the first one was of. A page may end before `limit` where ' +
      'its texts are very long.',
    querystring: z.object({
      language: language.describe('The language; required.'),
      namespace: namespace.optional().describe('Only this namespace.'),
      is: z
        .string()
        .optional()
        .describe(
          `Only keys that are any of these, with commas: ${KEY_FILTERS.join(', ')}. By default all but translated, ` +
            'dismissed, approved, unapproved, machine and suggested.',
        )
        .meta({ examples: ['missing,stale'] }),
      at: atParameter,
      ...paged(LIMIT, 'keys'),
    }),
    ...reading(
      z.object({ keys: z.array(KeyStatusShape), next }).describe('A page of keys.'),
      'not-found',
      'unfit',
      'too-large',
      'unavailable',
    ),
  }
  app.get<OfProject>('/api/projects/:slug/status/keys', { schema: readKeys }, (request, reply) => {
    const { slug, namespace } = partIn(request, request.params.slug)
    const language = readRequired(request, 'language', 'name the language of the wanted keys')
    const [is, limit, cursor] = [filtersOf(request), readLimit(request, LIMIT), readCursor(request, CursorShape)]
    return readPage(reply, slug, cursor, snapshot => {
      const { id, asked } = beginning(request, snapshot, slug, { language, namespace })
      const wanted = { language, namespace, is, limit, after: cursor?.position }
      const { revision } = snapshot
      const render = () =>
        inTurn(reply, async left => {
          const { keys, next } = await statusPage({ ...asked, left }, wanted, cache)
          return json({ keys, next: next && cursorOf(revision, next.namespace, next.key) })
        })
      return sendRendered(reply, idOf(JSON.stringify([id, wanted])), render, ` ${revision}`)
    })
  })
}

/** The part of the state that an answer depends on, with its git id. @throws Failure `not-found` */
function beginning(request: FastifyRequest, snapshot: Snapshot, slug: string, { language, namespace }: StatusPart) {
  const project = requireProject(snapshot, slug)
  if (language !== undefined) requireLanguage(snapshot, project, language)
  if (namespace !== undefined) requireNamespaces(snapshot, project, [namespace])
  const { organization } = requireCaller(request, 'read')
  const pinned = pinnedStateOf(request, snapshot)
  // The organization's glossary is outside of the project.
  const { exists, id: glossary } = glossaryAt(snapshot, undefined)
  const tree = snapshot.entry(slug)!.id
  return { id: exists ? idOf(`${tree} ${glossary}`) : tree, asked: { organization, project, pinned } }
}

/** What keys are listed by default. */
const BY_DEFAULT: readonly KeyFilter[] = KEY_MARKS.filter(mark => mark !== 'translated')

/** @throws Failure `invalid` naming a word that is none of them */
function filtersOf(request: FastifyRequest): KeyFilter[] {
  const words = readOnce(request, 'is')?.split(',')
  const unknown = words?.find(word => !(KEY_FILTERS as readonly string[]).includes(word))
  if (unknown !== undefined) {
    throw new Failure(
      'invalid',
      `The query parameter is must be ${KEY_FILTERS.join(', ')} or several of them with commas, not ${JSON.stringify(unknown.slice(0, 40))}.`,
    )
  }
  return KEY_FILTERS.filter(word => (words ? words.includes(word) : BY_DEFAULT.includes(word)))
}

/** Where a list of keys continues. */
interface Cursor {
  revision: string
  position: StatusPosition
}

const CursorShape = z
  .tuple([z.string().regex(/^[0-9a-f]{40}$/), z.string(), z.string()])
  .transform(([revision, namespace, key]): Cursor => ({ revision, position: { namespace, key } }))
