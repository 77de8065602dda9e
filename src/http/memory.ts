/** The translation memory: similar texts of an organization that have a translation. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { reaches } from '../auth/access.ts'
import { busy, Failure } from '../bundle/errors.ts'
import { checkLanguage, checkSlug } from '../bundle/names.ts'
import type { MemoryAnswer } from '../memory/memory-store.ts'
import type { MemoryQuery } from '../memory/organization-memory.ts'
import type { MemoryState, TranslationMemory } from '../memory/translation-memory.ts'
import { noProject, requireProject } from '../project/layout.ts'
import { endsWithin } from '../store/ends-within.ts'
import { sendJson } from './answers/conditional.ts'
import { MessageShape } from './bundles.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import { readLimit, readOnce } from './requests/query.ts'
import { component, key, language, like, namespace, reading, slug, text } from './requests/shapes.ts'

const LIMIT = { most: 20, otherwise: 5 }
/** Milliseconds that a search waits for the first reading of an organization. */
const PATIENCE_MS = 5_000
/** Readings before a search fails, each of them evicted before the search. */
const MOST_READINGS = 3

const Match = component('MemoryMatch', {
  score: like(z.number(), 93).describe('60 to 100. 100: the texts are equal, whatever their placeholders are.'),
  source: MessageShape.describe('The source message of the found key.'),
  message: MessageShape.describe('Its translation, with all forms.'),
  project: slug,
  namespace,
  key,
  form: like(z.string().optional(), 'other').describe(
    'Of a plural source: the form that resembles the text (`few`, `ordinal_few`).',
  ),
})
const Memory = component('Memory', {
  matches: z.array(Match).describe('The best one first, equal ones by project, namespace and key.'),
  complete: z
    .boolean()
    .describe(
      'False when the organization has more texts than the memory holds, or too many are alike to compare all.',
    ),
  notice: text('Why the answer is not complete.', 'Matches may be missing.').optional(),
})

/** Adds the route to a scope behind `identify`. */
export function memoryRoutes(app: FastifyInstance, memory: TranslationMemory): void {
  const inTurn = inTurns('searches of the memory')
  const schema = {
    tags: ['Memory'],
    operationId: 'searchMemory',
    summary: 'How similar texts are translated',
    description:
      'Derived from the present bundles of all projects that the credential reaches: there is nothing to fill. Stale and ' +
      'empty translations are no matches. Equal pairs of source and translation are one match. The first search of an ' +
      'organization reads its texts: after 5 seconds the answer is 503 with `Retry-After`.',
    querystring: z.object({
      source: text(
        'The text to translate, or one form of a plural. URL and headers have at most 32 KiB together, else the answer ' +
          'is 431: percent-encoded, that is 30,000 Latin letters, 5,000 Cyrillic or 3,400 Japanese ones.',
        'Save',
      ),
      from: language.describe('The language of `source`.').meta({ examples: ['en'] }),
      to: language.describe('The language of the wanted translations.'),
      project: slug.optional().describe('Only this project.'),
      limit: z
        .string()
        .optional()
        .describe('How many matches, 1 to 20; by default 5.')
        .meta({ examples: ['5'] }),
    }),
    ...reading(Memory.describe('The matches.'), 'not-found', 'unavailable'),
  }
  const config = { permission: 'read', showsWithin: true } as const
  /** Reads what changed, within a time, and searches. @throws Failure `unavailable` */
  const search = async (reply: FastifyReply, state: MemoryState, query: MemoryQuery): Promise<MemoryAnswer> => {
    for (let readings = 0; readings < MOST_READINGS; readings++) {
      const reading = memory.read(state, query.from, query.to)
      if (!(await endsWithin(PATIENCE_MS, reading))) throw busy('The memory is being built; try again in a moment.', 2)
      if (!(await reading)) return { matches: [], complete: true }
      const answer = await inTurn(reply, () => memory.search(state.organization, query))
      if (answer) return answer
    }
    throw busy('Too many organizations search the memory at once; try again in a moment.', 5)
  }
  app.get('/api/memory', { schema, config }, async (request, reply) => {
    const query = queryOf(request)
    const { organization, projects: reached } = requireCaller(request, 'read')
    const project = readOnce(request, 'project')
    const snapshot = await app.store.read(organization, now => {
      if (project !== undefined) requireReached(request, checkSlug(project), slug => void requireProject(now, slug))
      return now
    })
    const projects = project === undefined ? (reached ?? null) : [project]
    const { look } = pinnedStateOf(request, snapshot)
    const state = { organization, root: snapshot.root, look }
    const answer = await search(reply, state, { ...query, projects })
    sendJson(reply, answer.complete ? answer : { ...answer, notice: INCOMPLETE })
  })
}

const INCOMPLETE =
  'Matches may be missing: this organization has more texts than the memory holds, or too many of them are alike.'

/** @throws Failure `not-found`, in the same words for a project out of reach and a missing one */
function requireReached(request: FastifyRequest, slug: string, require: (slug: string) => void): void {
  if (!reaches(requireCaller(request, 'read'), slug)) throw noProject(slug)
  require(slug)
}

/** @throws Failure `invalid` */
function queryOf(request: FastifyRequest): Omit<MemoryQuery, 'projects'> {
  const [source, from, to] = ['source', 'from', 'to'].map(name => readOnce(request, name))
  if (source === undefined || source.trim() === '') {
    throw new Failure('invalid', 'The query parameter source is missing: give the text to translate.')
  }
  if (from === undefined || to === undefined) {
    const name = from === undefined ? 'from' : 'to'
    throw new Failure('invalid', `The query parameter ${name} is missing: name the language, such as ${name}=en.`)
  }
  if (checkLanguage(from) === checkLanguage(to)) {
    throw new Failure('invalid', `The query parameters from and to must be two languages, not "${from}" twice.`)
  }
  return { source, from, to, limit: readLimit(request, LIMIT) }
}
