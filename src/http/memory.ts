/** The translation memory: similar texts of an organization that have a translation. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { reaches } from '../auth/access.ts'
import { Failure } from '../bundle/errors.ts'
import { checkLanguage, checkSlug } from '../bundle/names.ts'
import type { MemoryQuery } from '../memory/organization-memory.ts'
import { noProject, requireProject } from '../project/layout.ts'
import type { HistoryReader } from '../store/git/history.ts'
import { sendJson } from './answers/conditional.ts'
import { MessageShape } from './bundles.ts'
import { withMarks } from './reading/marked-matches.ts'
import type { MemorySearch } from './reading/memory-search.ts'
import { MOST_HISTORIES, MOST_REPLACED, pastOfMatches } from './reading/past-translations.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { requireCaller } from './requests/caller.ts'
import { readLimit, readOnce, readRequired, readWord } from './requests/query.ts'
import { component, flag, key, language, like, namespace, reading, slug, text, time } from './requests/shapes.ts'

const LIMIT = { most: 20, otherwise: 5 }
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
  approved: like(z.boolean(), true).describe('Whether an approval holds for the translation and its source.'),
  machine: like(z.boolean(), false).describe('Whether a machine wrote the translation.'),
  date: time.optional().describe('With `past=true`: when the translation was written, of the first matches.'),
})
const Past = component('PastTranslation', {
  source: MessageShape.describe('The source message that the translation was written for.'),
  message: MessageShape.describe('The translation that was replaced or removed, with all forms.'),
  project: slug,
  namespace,
  key,
  until: time.describe('When it was replaced.'),
  replacedBy: text('The name of the user or API token that replaced it.', 'Ann'),
})
/** The matches of a search. */
export const MemoryShape = component('Memory', {
  matches: z.array(Match).describe('The best one first, equal ones by project, namespace and key.'),
  complete: z
    .boolean()
    .describe(
      'False when the organization has more texts than the memory holds, or too many are alike to compare all.',
    ),
  past: z
    .array(Past)
    .optional()
    .describe(
      `With \`past=true\`: earlier translations of the keys of the first ${MOST_HISTORIES} matches, the newest one first, ` +
        `from the last ${MOST_REPLACED} changes of each translation. Pairs equal to a match are left out.`,
    ),
  pastComplete: z
    .boolean()
    .optional()
    .describe('With `past=true`: false when a history was not read, or not as far as that.'),
  notice: text('Why the answer is not complete.', 'Matches may be missing.').optional(),
})

/** Adds the route to a scope behind `identify`. */
export function memoryRoutes(app: FastifyInstance, memory: MemorySearch, history: HistoryReader): void {
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
      past: flag.describe(
        '`true`: with the replaced translations of the matches, and the time of each match. Git reads their histories.',
      ),
    }),
    ...reading(MemoryShape.describe('The matches.'), 'not-found', 'unsupported', 'unavailable'),
  }
  const config = { permission: 'read', showsWithin: true } as const
  app.get('/api/memory', { schema, config }, async (request, reply) => {
    const query = queryOf(request)
    const wantsPast = readWord(request, 'past', ['true', 'false']) === 'true'
    const { organization, projects: reached } = requireCaller(request, 'read')
    const project = readOnce(request, 'project')
    const snapshot = await app.store.read(organization, now => {
      if (project !== undefined) requireReached(request, checkSlug(project), slug => void requireProject(now, slug))
      return now
    })
    const projects = project === undefined ? (reached ?? null) : [project]
    const answer = await memory.in(reply, snapshot, { ...query, projects })
    const pinned = pinnedStateOf(request, snapshot)
    const marked = await withMarks(pinned, query, answer.matches)
    const shown = { ...answer, matches: marked, ...(!answer.complete && { notice: INCOMPLETE }) }
    if (!wantsPast) return sendJson(reply, shown)
    const asked = { snapshot, from: query.from, to: query.to }
    const { dates, past, isWhole } = await pastOfMatches(reply, marked, asked, history)
    const matches = marked.map(match => {
      const date = dates.get(match)
      return date === undefined ? match : { ...match, date }
    })
    sendJson(reply, { ...shown, matches, past, pastComplete: isWhole })
  })
}

/** The notice of an answer that is not complete. */
export const INCOMPLETE =
  'Matches may be missing: this organization has more texts than the memory holds, or too many of them are alike.'

/** @throws Failure `not-found`, in the same words for a project out of reach and a missing one */
function requireReached(request: FastifyRequest, slug: string, require: (slug: string) => void): void {
  if (!reaches(requireCaller(request, 'read'), slug)) throw noProject(slug)
  require(slug)
}

/** @throws Failure `invalid` */
function queryOf(request: FastifyRequest): Omit<MemoryQuery, 'projects'> {
  const source = readRequired(request, 'source', 'give the text to translate')
  if (source.trim() === '')
    throw new Failure('invalid', 'The query parameter source is empty: give the text to translate.')
  const [from, to] = (['from', 'to'] as const).map(name =>
    readRequired(request, name, `name the language, such as ${name}=en`),
  ) as [string, string]
  if (checkLanguage(from) === checkLanguage(to)) {
    throw new Failure('invalid', `The query parameters from and to must be two languages, not "${from}" twice.`)
  }
  return { source, from, to, limit: readLimit(request, LIMIT) }
}
