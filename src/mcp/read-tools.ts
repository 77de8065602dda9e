/** The tools that read. */
import { z } from 'zod'
import { KEY_FILTERS } from '../bundle/status.ts'
import { ApiRefusal, manifestOf, pathOf } from './api-call.ts'
import { findTexts } from './find-texts.ts'
import { fittingPage, pageOf } from './fit-answer.ts'
import { cursor, key, language, namespace, project, type Tool, tool, withoutZeros } from './tool.ts'

/** Languages of one answer of `get_key`. */
const MOST_LANGUAGES = 10
/** Similar texts of one answer of `get_key`, shared by its languages. */
const MOST_SIMILAR = 10
/** Fields of a key that are the same in all languages. */
const OF_KEY = new Set(['namespace', 'key', 'source', 'note', 'max', 'tags', 'refs', 'from', 'comments'])
/** Keys of a page of `status`, and commits of one of `history`. */
const PAGE = 50

const find = tool(
  'find_texts',
  'reads',
  'Finds keys by words in name, source text or translation. Example: {"project":"web","text":"pay now","language":"de"}',
  z.strictObject({
    project,
    text: z.string().min(1).max(200),
    language: language.optional().describe('Default: the source.'),
    namespace: namespace.optional(),
    cursor,
  }),
  findTexts,
)

const get = tool(
  'get_key',
  'reads',
  'All about one key: texts, problems, note, comments, terms, similar texts. Example: {"project":"web","namespace":"common","key":"pay","languages":["de"]}',
  z.strictObject({
    ...{ project, namespace, key },
    languages: z.array(language).min(1).max(MOST_LANGUAGES).optional().describe('Default: ten.'),
  }),
  async (call, { project, namespace, key, languages }) => {
    const { sourceLanguage, languages: all } = await manifestOf(call, project)
    const wanted = languages ?? [sourceLanguage, ...all.filter(one => one !== sourceLanguage)].slice(0, MOST_LANGUAGES)
    const shared: Record<string, unknown> = {}
    const own: Record<string, object> = {}
    for (const language of wanted) {
      const path = pathOf('projects', project, 'context', language, namespace, key)
      const { language: _, memory, ...answer } = await call<KeyContext>({ method: 'GET', path })
      const row: Record<string, unknown> = { memory: similarIn(memory, MOST_SIMILAR / wanted.length) }
      for (const [name, value] of Object.entries(answer)) (OF_KEY.has(name) ? shared : row)[name] = value
      own[language] = withoutEmpty(row)
    }
    const data = { sourceLanguage, ...withoutEmpty(shared), languages: own }
    return { says: `The key in ${wanted.length} languages.`, data }
  },
)

const status = tool(
  'status',
  'reads',
  'Numbers of missing, stale and faulty texts by language; zeros are left out. With `language` and `is` the keys; without `project` all projects. Example: {"project":"web","language":"de","is":["missing","stale"]}',
  z.strictObject({
    project: project.optional(),
    language: language.optional(),
    namespace: namespace.optional(),
    is: z.array(z.enum(KEY_FILTERS)).min(1).optional(),
    cursor,
  }),
  async (call, { project, language, namespace, is, cursor }) => {
    if (project === undefined) {
      if (language ?? namespace ?? is) throw new ApiRefusal(400, 'Name the project, too.')
      const { projects } = await call<{ projects: unknown[] }>({ method: 'GET', path: '/api/projects' })
      const { rows, next } = pageOf(projects, {}, cursor)
      return { says: 'The projects.', data: { projects: rows, next } }
    }
    if (is === undefined) {
      const query = { language, namespace }
      const path = pathOf('projects', project, 'status')
      const { languages, ...data } = await call<{ languages: StatusRow[] }>({ method: 'GET', path, query })
      const all = languages.map(({ namespaces, ...row }) => ({
        ...withoutZeros(row),
        ...(language !== undefined && { namespaces: namespaces.map(withoutZeros) }),
      }))
      const { rows, next } = pageOf(all, data, cursor)
      return { says: 'Numbers by language. Zeros are left out.', data: { ...data, languages: rows, next } }
    }
    const query = { language, namespace, is: is.join(','), cursor }
    const path = pathOf('projects', project, 'status', 'keys')
    const read = (limit: number) => call<{ keys: unknown[] }>({ method: 'GET', path, query: { ...query, limit } })
    const data = await fittingPage(PAGE, read)
    return { says: `${data.keys.length} keys.`, data }
  },
)

const memory = tool(
  'memory',
  'reads',
  'Similar texts of all projects with their translations. Example: {"source":"Pay now","from":"en","to":"de"}',
  z.strictObject({ source: z.string().min(1).max(5_000), from: language, to: language }),
  async (call, query) => {
    const data = await call<SimilarTexts>({ method: 'GET', path: '/api/memory', query })
    return { says: `${data.matches.length} similar texts.`, data: { ...data } }
  },
)

const history = tool(
  'history',
  'reads',
  'The commits of a project, newest first, or the past texts of a key. Example: {"project":"web","namespace":"common","key":"pay"}',
  z.strictObject({
    project,
    language: language.optional(),
    namespace: namespace.optional(),
    key: key.optional(),
    limit: z.int().min(1).max(PAGE).optional(),
    cursor,
  }),
  async (call, { project, limit = 10, ...query }) => {
    const path = pathOf('projects', project, 'history')
    const read = (limit: number) => call<{ revisions: unknown[] }>({ method: 'GET', path, query: { ...query, limit } })
    const data = await fittingPage(limit, read)
    return { says: `${data.revisions.length} commits.`, data }
  },
)

interface StatusRow {
  namespaces: Record<string, unknown>[]
}

interface SimilarTexts {
  matches: unknown[]
  complete: boolean
}

interface KeyContext {
  language: string
  memory: SimilarTexts | null
}

/** The best matches; null without any, and while the memory is being built. */
function similarIn(memory: SimilarTexts | null, most: number) {
  if (memory === null || (memory.matches.length === 0 && memory.complete)) return null
  return { ...memory, matches: memory.matches.slice(0, Math.ceil(most)) }
}

function withoutEmpty(members: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) => value === undefined || value === null || (Array.isArray(value) && !value.length)
  return Object.fromEntries(Object.entries(members).filter(([name, value]) => name === 'message' || !isEmpty(value)))
}

export const READ_TOOLS: readonly Tool[] = [find, get, status, memory, history]
