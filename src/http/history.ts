/** The commits that changed a project, language, bundle or key, newest first, in pages. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { peel } from '../bundle/message.ts'
import { checkKey, shortKey } from '../bundle/names.ts'
import { missingBundle, requireLanguage, requireNamespaces, requireProject } from '../project/layout.ts'
import type { Cursor, HistoryReader, HistoryScope, Page, Revision } from '../store/git/history.ts'
import { EMPTY_SNAPSHOT, type Snapshot } from '../store/store.ts'
import { sendNamed } from './answers/conditional.ts'
import { claimantOf } from './bounds/body-memory.ts'
import { checkPart, MessageShape } from './bundles.ts'
import { askedAt, atParameter, resolveCursor, resolveFor } from './requests/at.ts'
import { requireCaller } from './requests/caller.ts'
import { clientGone } from './requests/client-gone.ts'
import { badCursor, readLimit, readOnce } from './requests/query.ts'
import {
  component,
  count,
  language,
  like,
  namespace,
  next,
  type OfProject,
  paged,
  reading,
  revision,
  time,
} from './requests/shapes.ts'

const LIMIT = { most: 100, otherwise: 20 }

/** How many keys a change added, updated and removed. */
export const CountsShape = component('Counts', {
  added: count('Keys that came.', 1),
  updated: count('Keys that changed.'),
  removed: count('Keys that went.'),
})

/** The maker of a commit or a tag. */
export const Author = component('Author', {
  name: like(z.string(), 'Ann'),
  email: like(z.string(), 'ann@example.com'),
})

/** The first line of a commit's message. */
export const subject = like(z.string(), 'web de/common: update nav.home')

const RevisionShape = component('Revision', {
  revision,
  author: Author,
  date: time.describe('Its time on the main line, in UTC. `?at=` compares with it.'),
  subject,
  changes: CountsShape.nullable().describe(
    'Changed keys within the requested part; a plural is one key. Null for a commit of more than 1,000 files without counts in its message.',
  ),
  language: language.optional().describe("Of a key's history."),
  key: z.string().optional().describe("Of a key's history: the key of the model; `item` for the form `item_one`."),
  before: MessageShape.nullable().optional().describe("Of a key's history: what the key held before; null is nothing."),
  after: MessageShape.nullable().optional().describe('And after.'),
})

/** Adds the route to a scope behind `identify`. */
export function historyRoutes(app: FastifyInstance, history: HistoryReader): void {
  const read = {
    tags: ['History'],
    operationId: 'getHistory',
    summary: 'Which commits changed a project, a language, a bundle or a key',
    description:
      'Newest first. The history of deleted parts stays: 404 only for parts that never existed. A page may hold fewer rows than ' +
      '`limit`, even none, and still have a `next`: it ends after reading very many versions.',
    querystring: z.object({
      language: language.optional().describe('Only commits that changed bundles of this language.'),
      namespace: namespace.optional().describe('Only commits that changed bundles of this namespace.'),
      key: z
        .string()
        .optional()
        .describe(
          'Only commits that changed this key; it needs a namespace. Without a language each language that changed has a ' +
            'row. `item_one`, a form, means the key `item`, as it does in the path of a write.',
        ),
      author: Author.shape.email
        .optional()
        .describe('Only commits of the author with this e-mail address, as the rows have it.'),
      at: atParameter,
      ...paged(LIMIT, 'rows'),
    }),
    ...reading(
      z.object({ revisions: z.array(RevisionShape), next }).describe('A page of commits.'),
      'not-found',
      'unsupported',
      'unavailable',
    ),
  }
  app.get<OfProject>('/api/projects/:slug/history', { schema: read }, async (request, reply) => {
    const scope = scopeOf(request, request.params.slug)
    const cursor = cursorOf(request, scope)
    const limit = readLimit(request, LIMIT)
    const { organization } = requireCaller(request, 'read')
    const { store } = app
    const { revision: from, exact } = await beginning(request, scope.slug, cursor)
    if (from === null) return requireProject(EMPTY_SNAPSHOT, scope.slug)
    return sendNamed(reply, { name: [from, scope, cursor, limit], exact }, async () => {
      const signal = clientGone(reply)
      const read = (scope: HistoryScope, limit: number) =>
        history.page({ scope, from, cursor, limit, signal, claimant: claimantOf(request) }, use =>
          store.readGit(organization, use),
        )
      const page = await read(scope, limit)
      if (!cursor && isEmpty(page)) {
        const anyones = scope.author === undefined ? page : await read({ ...scope, author: undefined }, 1)
        if (isEmpty(anyones)) await store.read(organization, now => requireKnown(now.at(from), scope, anyones))
      }
      const body = shown(page, scope)
      // A slow page may end early, and be longer next time.
      return { body, variant: `${body.revisions.length} ${body.next}` }
    })
  })
}

/** @throws Failure `invalid` */
function scopeOf(request: FastifyRequest, slug: string): HistoryScope {
  const [language, namespace, key] = ['language', 'namespace', 'key'].map(name => readOnce(request, name))
  if (key !== undefined && namespace === undefined) {
    throw new Failure('invalid', 'The history of a key needs its namespace: add &namespace=.')
  }
  return {
    ...checkPart(slug, { language, namespace }),
    key: key === undefined ? undefined : peel(checkKey(key)).key,
    author: authorOf(request),
  }
}

/** @throws Failure `invalid` */
function authorOf(request: FastifyRequest): string | undefined {
  const author = readOnce(request, 'author')
  // git removes these characters from an address.
  if (author === undefined || /^[^<>\p{Cc}]{1,320}$/u.test(author)) return author
  throw new Failure('invalid', "The query parameter author must be an e-mail address, as a history's rows have it.")
}

/** @throws Failure `invalid` */
function cursorOf(request: FastifyRequest, scope: HistoryScope): Cursor | undefined {
  const cursor = readOnce(request, 'cursor')
  if (cursor === undefined) return undefined
  const [, revision, language] = /^([0-9a-f]{40})(?:\.([A-Za-z0-9-]{2,35}))?$/.exec(cursor) ?? []
  if (revision === undefined || (language !== undefined && (scope.key === undefined || scope.language !== undefined))) {
    throw badCursor()
  }
  return { revision, language }
}

/** The first commit of the result, null before any; `exact` when the caller gave its full id. */
async function beginning(
  request: FastifyRequest,
  slug: string,
  cursor: Cursor | undefined,
): Promise<{ revision: string | null; exact: boolean }> {
  const at = askedAt(request)
  if (cursor === undefined) return resolveFor(request, at, slug)
  await resolveCursor(request, cursor.revision)
  return { revision: cursor.revision, exact: false }
}

/**
 * Lets through a scope that exists without commits, such as an empty source language.
 * @throws Failure `not-found` naming what never existed
 */
function requireKnown(snapshot: Snapshot, { slug, language, namespace, key }: HistoryScope, { touched }: Page): void {
  const where = [namespace && ` in namespace "${namespace}"`, language && ` in "${language}"`].filter(Boolean).join('')
  if (touched) {
    if (key === undefined) return
    throw new Failure('not-found', `Project "${slug}" never had the key ${JSON.stringify(shortKey(key))}${where}.`)
  }
  const project = requireProject(snapshot, slug)
  if (language !== undefined) requireLanguage(snapshot, project, language)
  if (namespace === undefined) return
  requireNamespaces(snapshot, project, [namespace])
  // The namespace exists in another language, so this language lacks it.
  throw missingBundle({ slug, language: language!, namespace })
}

const isEmpty = ({ revisions, next }: Page) => next === null && revisions.length === 0

function shown({ revisions, next }: Page, { key }: HistoryScope) {
  return { revisions: revisions.map(revision => row(revision, key)), next: next && cursorText(next) }
}

const cursorText = ({ revision, language }: Cursor) => (language === undefined ? revision : `${revision}.${language}`)

function row({ revision, author, time, subject, changes, message }: Revision, key: string | undefined) {
  const date = new Date(time * 1000).toISOString()
  return { revision, author, date, subject, changes, ...(message && { key, ...message }) }
}
