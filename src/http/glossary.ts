/** Glossaries of the organization and of its projects: how terms are translated. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { EMPTY_BUNDLE_ID } from '../bundle/canonical.ts'
import { Failure } from '../bundle/errors.ts'
import { asBuffer } from '../bundle/file-change.ts'
import { checkLanguage } from '../bundle/names.ts'
import { MAX_LANGUAGES, MAX_TERM_NOTE, MAX_TERMS, MAX_WORD, MAX_WORDS } from '../glossary/glossary.ts'
import { EMPTY_GLOSSARY, type GlossaryTask, glossaryAt, glossaryPath } from '../project/glossary-file.ts'
import { requireProject } from '../project/layout.ts'
import type { State } from '../project/state.ts'
import { checkPreconditions, entityTag, sendEntity, sendRendered } from './answers/conditional.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { atQuery, readAt } from './requests/at.ts'
import { readBytes, readJsonBytes, refuseEmpty } from './requests/body.ts'
import { readOnce } from './requests/query.ts'
import { answer, component, count, type Flags, flag, HEADERS, like, reading, text, writing } from './requests/shapes.ts'
import type { BundleTask } from './writing/bundle-task.ts'
import { commitMessage } from './writing/commit-message.ts'

const words = like(z.array(z.string()), ['Warenkorb']).describe(
  `At most ${MAX_WORDS}, each of at most ${MAX_WORD} characters.`,
)
const TermWords = z.strictObject({
  use: words.optional().describe('The right words, the best one first.'),
  avoid: like(z.array(z.string()).optional(), ['Einkaufswagen']).describe('Forbidden words.'),
})
const Term = z
  .strictObject({
    term: text(`A word or several, in the source language: at most ${MAX_WORD} characters.`, 'cart'),
    note: text(`What it means, at most ${MAX_TERM_NOTE} bytes.`, 'Where a customer collects products.').optional(),
    caseSensitive: like(z.boolean().optional(), false).describe('Whether only this case is the term.'),
    keep: like(z.boolean().optional(), false).describe('Whether the term stays untranslated in every language.'),
    translations: z
      .record(z.string(), TermWords)
      .optional()
      .describe(`By language, at most ${MAX_LANGUAGES}.`)
      .meta({ examples: [{ de: { use: ['Warenkorb'], avoid: ['Einkaufswagen'] } }] }),
  })
  .meta({ id: 'GlossaryTerm' })
const EXAMPLE = {
  terms: [
    { term: 'Acme', keep: true },
    {
      term: 'cart',
      note: 'Where a customer collects products.',
      translations: { de: { use: ['Warenkorb'], avoid: ['Einkaufswagen'] } },
    },
  ],
}
const Glossary = z
  .strictObject({
    terms: z.array(Term).describe(`At most ${MAX_TERMS.toLocaleString('en')}, in code-unit order.`),
  })
  .meta({ id: 'Glossary', examples: [EXAMPLE] })
const Changed = component('GlossaryChanged', {
  terms: count('Terms that the glossary has now.', 2),
  added: count('Terms that are new.', 1),
  updated: count('Terms that differ from before.', 1),
  removed: count('Terms that are gone.'),
  dryRun: z.boolean().describe('Whether nothing was written.'),
})

const flags = {
  dryRun: flag.describe('`true`: the same answer, and nothing is written.'),
  merge: flag.describe('`true`: terms that the body lacks stay.'),
}
const headers = z.object({
  'if-match': text('`*` or the entity tag that the glossary must still have.', HEADERS.ETag.example).optional(),
  'if-none-match': text('`*`: there must be no glossary yet.', '*').optional(),
})

/** The organization's glossary has no slug. */
type OfGlossary = { Params: { slug?: string } }
type Put = OfGlossary & Flags<typeof flags>

/** Adds the routes to a scope behind `identify`. */
export function glossaryRoutes(app: FastifyInstance): void {
  const tags = ['Glossary']
  const places = [
    { url: '/api/glossary', of: 'the organization', name: 'Glossary', permission: 'manage-projects' },
    { url: '/api/projects/:slug/glossary', of: 'a project', name: 'ProjectGlossary', permission: 'edit' },
  ] as const
  for (const { url, of, name, permission } of places) {
    const isOrganization = of === 'the organization'
    const read = {
      tags,
      operationId: `get${name}`,
      summary: `The glossary of ${of}`,
      description: isOrganization
        ? 'Its terms hold in all projects, except where a project has the same term. A token that is limited to some ' +
          'projects reads it, too. Without a glossary the answer has no terms.'
        : 'Its terms win over those of the organization, which are not in this answer. Without a glossary the answer ' +
          'has no terms.',
      querystring: atQuery,
      ...reading(Glossary.describe('The terms; the file in git, byte for byte.'), 'not-found', 'unfit'),
    }
    const config = isOrganization
      ? ({ permission: 'read', showsWithin: true } as const)
      : ({ permission: 'read' } as const)
    app.get<OfGlossary>(url, { schema: read, config }, (request, reply) => {
      const { slug } = request.params
      return readAt(reply, slug, snapshot => {
        if (slug !== undefined) requireProject(snapshot, slug)
        const { id, bytes } = glossaryAt(snapshot, slug)
        return sendEntity(reply, id, () => bytes ?? EMPTY_GLOSSARY)
      })
    })

    const put = {
      tags,
      operationId: `put${name}`,
      summary: `Replace the glossary of ${of}`,
      description:
        'In one commit. With `merge=true` terms that the body lacks stay. A glossary without terms is removed. ' +
        (isOrganization
          ? 'Needs the role owner or admin, or a token that may write and is not limited to some projects.'
          : 'Translations that its terms concern are checked at once, see `checks` of the project.'),
      headers,
      querystring: z.object(flags),
      body: Glossary,
      ...writing(
        { 200: answer(Changed.describe('What changed, in terms.'), 'ETag') },
        ...(isOrganization ? [] : (['not-found'] as const)),
        ...(['stale', 'unfit'] as const),
      ),
    }
    const edit = { permission, readsBody: true } as const
    app.put<Put>(url, { schema: put, config: edit }, async (request, reply) => {
      const body = await readJsonBytes(request, app.limits.namespaceBody)
      return putGlossary(reply, request, { body, format: 'json' })
    })

    for (const format of ['csv', 'tbx'] as const) {
      const { label, type, shape, says } = FORMATS[format]
      // In camel case, as generators of clients name functions.
      const operation = `${name}${{ csv: 'Csv', tbx: 'Tbx' }[format]}`
      const headers = ['ETag', 'Cache-Control', 'Content-Disposition'] as const
      const get = {
        ...read,
        operationId: `export${operation}`,
        summary: `The glossary of ${of} as ${label}`,
        description: `${says} The \`ETag\` is that of the glossary.`,
        querystring: format === 'csv' ? atQuery : atQuery.extend({ source: sourceParameter }),
        response: { ...read.response, 200: { description: 'The file.', body: shape, type, headers } },
      }
      app.get<OfGlossary>(`${url}.${format}`, { schema: get, config }, (request, reply) => {
        const { slug } = request.params
        const asked = readOnce(request, 'source')
        if (asked !== undefined) checkLanguage(asked)
        return readAt(reply, slug, snapshot => {
          const source = asked ?? (slug === undefined ? 'en' : requireProject(snapshot, slug).sourceLanguage)
          const { id } = glossaryAt(snapshot, slug)
          const pinned = pinnedStateOf(request, snapshot)
          const render = async () => {
            const input = (state: State) => ({ bytes: glossaryAt(state, slug).bytes, format, source })
            return asBuffer(await pinned.compute('exportGlossary', input))
          }
          reply.header('content-disposition', `attachment; filename="${slug ?? 'organization'}-glossary.${format}"`)
          return sendRendered(reply, id, render, ` ${format} ${source}`, { type: `${type}; charset=utf-8` })
        })
      })

      const replace = {
        ...put,
        operationId: `import${operation}`,
        summary: `Replace the glossary of ${of} by ${label}`,
        description: `${says} ${put.description} \`If-Match\` is about the glossary in any format.`,
        body: shape,
        consumes: [type],
      }
      app.put<Put>(`${url}.${format}`, { schema: replace, config: edit }, async (request, reply) => {
        const body = await readFile(request, type, app.limits.namespaceBody)
        return putGlossary(reply, request, { body, format })
      })
    }
  }
}

const sourceParameter = text(
  "The language of the terms: by default the project's source language, of the organization `en`.",
  'en',
).optional()

const FORMATS = {
  csv: {
    label: 'CSV',
    type: 'text/csv',
    shape: text(
      'RFC 4180 in UTF-8, with a first line.',
      'term,note,caseSensitive,keep,de,de avoid\r\ncart,,,,Warenkorb,\r\n',
    ),
    says:
      'A line for each term, with the columns `term`, `note`, `caseSensitive`, `keep`, and for each language `de` and ' +
      '`de avoid`. `|` parts several words in a cell. The first line may separate by `,`, `;` or tab.',
  },
  tbx: {
    label: 'TBX',
    type: 'application/x-tbx+xml',
    shape: text('TBX-Basic of ISO 30042:2019 in UTF-8.', '<tbx type="TBX-Basic" …'),
    says:
      'A concept for each term. Preferred and admitted terms of a language are its words to use, deprecated and superseded ' +
      'ones are forbidden. The 2008 edition is read, too.',
  },
} as const

/** A body of this type. @throws Failure `unsupported-media`, and as {@link readBytes} */
async function readFile(request: FastifyRequest, type: string, limit: number): Promise<Buffer> {
  refuseEmpty(request, type)
  const { 'content-type': sent = '', 'content-encoding': coding } = request.headers
  const [essence = '', ...parameters] = sent.split(';').map(part => part.trim().toLowerCase())
  const isUtf8 = parameters.every(one => /^(?:charset=("?)utf-?8\1|header=present)?$/.test(one))
  if (essence !== type || !isUtf8 || coding !== undefined) {
    throw new Failure('unsupported-media', `Send the file uncompressed in UTF-8, with Content-Type: ${type}.`)
  }
  return readBytes(request, limit)
}

/** Stores the glossary of a body, and answers what changed. */
async function putGlossary(
  reply: FastifyReply,
  request: FastifyRequest<Put>,
  sent: Pick<GlossaryTask, 'body' | 'format'>,
): Promise<FastifyReply> {
  const { slug } = request.params
  const { dryRun, merge: merges } = request.query
  const target = { slug: slug ?? '', dryRun }
  const { id, terms, counts } = await request.server.changes.run(reply, target, (state, compute) => {
    const project = slug === undefined ? undefined : requireProject(state, slug)
    const source = project?.sourceLanguage ?? null
    const present = glossaryAt(state, slug)
    checkPreconditions(request.headers, present, 'glossary')
    const { file, ...answer } = compute([taskOf(state, slug, { ...sent, source, merges })])[0]!
    const path = glossaryPath(slug)
    if (file === null) state.remove(path)
    else if (!present.bytes?.equals(file)) state.put(path, asBuffer(file))
    const id = dryRun ? present.id : glossaryAt(state, slug).id
    const message = project
      ? commitMessage({ slug: project.slug, kind: 'glossary', ...answer.counts }, project)
      : commitMessage({ slug: '', kind: 'organization-glossary', ...answer.counts }, {})
    return { result: { id, ...answer }, message }
  })
  return reply.header('etag', entityTag(id)).send({ terms, ...counts, dryRun })
}

/** The answer holds as long as the stored glossary stays as it is. The worker computes a large one. */
function taskOf(
  state: State,
  slug: string | undefined,
  { body, ...how }: Omit<GlossaryTask, 'stored'>,
): BundleTask<'changeGlossary'> {
  const storedIn = (now: State) => now.read(glossaryPath(slug)) ?? null
  return {
    name: 'changeGlossary',
    // It depends on no bundle.
    bundle: { slug: slug ?? '', language: 'glossary', namespace: 'terms' },
    id: EMPTY_BUNDLE_ID,
    format: 'i18next-json',
    readsNoFile: true,
    variant: `${how.source} ${state.entry(glossaryPath(slug))?.id}`,
    *extraBytes(now) {
      yield body
      const stored = storedIn(now)
      if (stored) yield stored
    },
    task: (_stored, _inThread, now) => ({ stored: storedIn(now), body, ...how }),
  }
}
