/**
 * Rights by language: every write route of the OpenAPI document with members and tokens of different rights. An
 * allowed write succeeds, any other is 403, names what is missing and changes nothing.
 */
import t from 'tap'
import type { LanguageRight, LanguageRights, RightLevel } from '../../src/auth/rights.ts'
import { isError, openScene, type Scene, type Server } from '../http/server.ts'
import { APPROVED, isOwnWrite, NAMES, type Route, routesOf, send, stateOf, WRITES } from './routes.ts'

/**
 * What the example of a route touches: languages of the project, all of them, or the whole organization. `accounts`: no
 * texts, so that the role alone decides. A write route of the document that this table lacks fails the first test.
 */
const TOUCHES: Record<string, string[] | 'all' | 'organization' | 'accounts'> = {
  'POST /api/projects': 'organization',
  'PATCH /api/projects/{slug}': 'all',
  'DELETE /api/projects/{slug}': 'all',
  'POST /api/projects/{slug}/bundles/{language}/{namespace}': ['{language}'],
  'PUT /api/projects/{slug}/bundles/{language}/{namespace}': ['{language}'],
  'DELETE /api/projects/{slug}/bundles/{language}': ['{language}'],
  'DELETE /api/projects/{slug}/bundles/{language}/{namespace}': ['{language}'],
  'PUT /api/projects/{slug}/bundles/{language}/{namespace}/{key}': ['{language}'],
  'DELETE /api/projects/{slug}/bundles/{language}/{namespace}/{key}': ['{language}'],
  'PUT /api/projects/{slug}/notes/{namespace}/{key}': ['en'],
  'DELETE /api/projects/{slug}/notes/{namespace}/{key}': ['en'],
  'POST /api/projects/{slug}/comments/{namespace}/{key}': 'accounts',
  'PATCH /api/projects/{slug}/comments/{namespace}/{key}/{id}': 'accounts',
  'DELETE /api/projects/{slug}/comments/{namespace}/{key}/{id}': 'accounts',
  'POST /api/projects/{slug}/dismiss': ['de'],
  'POST /api/projects/{slug}/approve': ['de'],
  'POST /api/projects/{slug}/unapprove': ['de'],
  'POST /api/projects/{slug}/suggestions/accept': ['de'],
  'POST /api/projects/{slug}/suggestions/reject': ['de'],
  'POST /api/projects/{slug}/suggestions/{language}/{namespace}/{key}': ['{language}'],
  'PUT /api/glossary': 'organization',
  'PUT /api/glossary.csv': 'organization',
  'PUT /api/glossary.tbx': 'organization',
  'PUT /api/projects/{slug}/glossary': 'all',
  'PUT /api/projects/{slug}/glossary.csv': 'all',
  'PUT /api/projects/{slug}/glossary.tbx': 'all',
  'POST /api/projects/{slug}/rename-key': ['de', 'en'],
  'POST /api/projects/{slug}/rename-namespace': ['de', 'en'],
  'POST /api/projects/{slug}/rename-language': ['de', 'nl'],
  'POST /api/projects/{slug}/delete-key': ['de', 'en'],
  'POST /api/projects/{slug}/changes': ['de'],
  'POST /api/projects/{slug}/push': ['en'],
  'POST /api/projects/{slug}/restore': ['en'],
  // It undoes the commit of the release, which is a German one.
  'POST /api/projects/{slug}/revert': ['de'],
  'POST /api/projects/{slug}/confirm': ['de'],
  // It writes nothing, and needs the right to suggest: test/http/suggest.
  'POST /api/projects/{slug}/suggest': 'accounts',
  // They need a machine: test/http/translate.
  'POST /api/projects/{slug}/translate': 'accounts',
  'DELETE /api/projects/{slug}/jobs/{id}': 'accounts',
  'POST /api/projects/{slug}/releases': 'all',
  'DELETE /api/projects/{slug}/releases/{name}': 'all',
  'POST /api/tokens': 'accounts',
  'DELETE /api/tokens/{id}': 'accounts',
  'POST /api/inbox/read': 'accounts',
  'POST /api/inbox/feed': 'accounts',
  'PUT /api/inbox/settings': 'accounts',
  'PUT /api/members/{id}/rights': 'accounts',
}

/** The levels of routes that need another one than `translate`. */
const LEVELS: Record<string, RightLevel> = {
  'POST /api/projects/{slug}/changes': 'suggest',
  'POST /api/projects/{slug}/approve': 'review',
  'POST /api/projects/{slug}/unapprove': 'review',
  'POST /api/projects/{slug}/suggestions/accept': 'review',
  'POST /api/projects/{slug}/suggestions/reject': 'review',
  'POST /api/projects/{slug}/suggestions/{language}/{namespace}/{key}': 'suggest',
}

type Touched = string[] | 'all' | 'organization'

const all = (may: LanguageRight['may'], projects?: string[]): LanguageRights => [
  { ...(projects && { projects }), languages: ['*'], may },
]
const some = (...languages: string[]): LanguageRights => [{ languages, may: 'translate' }]

/** Rights, and the languages of the project that they allow to write, to suggest texts in, and to review. */
interface Narrowed {
  name: string
  rights: LanguageRights
  writes: Touched
  /** As `writes` where absent. */
  suggests?: Touched
  /** None where absent. */
  reviews?: Touched
}

const NARROWED: Narrowed[] = [
  { name: 'all may read', rights: all('read'), writes: [] },
  { name: 'all may suggest', rights: all('suggest'), writes: [], suggests: 'all' },
  { name: 'all of the project may translate', rights: all('translate', [NAMES.slug]), writes: 'all' },
  { name: 'all of another project may translate', rights: all('translate', ['elsewhere']), writes: [] },
  { name: 'de may translate', rights: some('de'), writes: ['de'] },
  { name: 'en may translate', rights: some('en'), writes: ['en'] },
  {
    name: 'de and nl may review here, all may suggest',
    rights: [...all('suggest'), { projects: [NAMES.slug], languages: ['de', 'nl'], may: 'review' }],
    writes: ['de', 'nl'],
    suggests: 'all',
    reviews: ['de', 'nl'],
  },
]

/** `all`: an allowed write by each kind of caller, and not by one of them in turn. */
const { RIGHTS } = process.env

interface TouchingRoute {
  route: Route
  what: string
  touched: Touched
  level: RightLevel
  least: 'member' | 'admin'
}

/** The write routes, those with a language in their path with the source language and another one. */
async function touchingRoutes(server: Server, slug: string): Promise<TouchingRoute[]> {
  const found: TouchingRoute[] = []
  for (const language of ['en', 'de']) {
    for (const route of await routesOf(server, { ...NAMES, slug, language })) {
      if (!isOwnWrite(route) || (language !== 'en' && !route.template.includes('{language}'))) continue
      const name = `${route.method} ${route.template}`
      const touches = TOUCHES[name]!
      if (touches === 'accounts') continue
      const touched = Array.isArray(touches) ? touches.map(one => one.replace('{language}', language)) : touches
      // Without it a push only fills what a translation lacks.
      const query = name === 'PUT /api/projects/{slug}/bundles/{language}/{namespace}' ? '?overwrite=true' : ''
      const sent = { ...route, path: route.path + query }
      const level = LEVELS[name] ?? 'translate'
      found.push({ route: sent, what: `${name} in ${language}`, touched, level, least: WRITES[name]!.least })
    }
  }
  return found
}

/** The languages that rights lack for a write; `*` for all, or the organization. */
function lacking(touched: Touched, writes: Touched): string[] {
  if (writes === 'organization' || (writes === 'all' && touched !== 'organization')) return []
  if (typeof touched === 'string') return ['*']
  return touched.filter(language => !writes.includes(language))
}

/** A project with what each example needs. The release is of a commit in German, and German is stale after it. */
async function prepare({ server, acme: { key } }: Scene, slug: string): Promise<void> {
  const project = await server.project(key, slug)
  await server.must('PUT', `${project}/bundles/en/common`, { key, body: { a: 'one', b: 'x', c: 'stays' } })
  await server.must('PUT', `${project}/notes/common/a`, { key, body: { note: 'stays' } })
  await server.must('PUT', `${project}/bundles/de/common`, { key, body: { a: 'eins ', b: 'x' } })
  await server.must('POST', `${project}/releases`, { key, body: { name: NAMES.name } })
  await server.must('PUT', `${project}/bundles/en/common`, { key, body: { a: 'two', b: 'y', c: 'stays' } })
  await server.must('POST', `${project}/approve`, { key, body: APPROVED })
}

t.test('names what each write route touches', async t => {
  t.strictSame(Object.keys(TOUCHES).sort(), Object.keys(WRITES).sort())
})

t.test('refuses every write beyond the rights of a member or token', async t => {
  const scene = await openScene(t)
  const { server, acme, member } = scene
  await server.project(acme.key, 'elsewhere')
  await prepare(scene, NAMES.slug)
  const routes = await touchingRoutes(server, NAMES.slug)
  for (const { name, rights, writes, suggests = writes, reviews = [] } of NARROWED) {
    const allowed = { read: 'all', suggest: suggests, translate: writes, review: reviews } as const
    await server.narrow(acme, member, rights)
    const { key } = (await server.must('POST', '/api/tokens', { as: acme.owner, body: { name, rights } })).json
    const before = await stateOf(scene)
    let refused = 0
    for (const { route, what, touched, level, least } of routes) {
      const missing = lacking(touched, allowed[level])
      if (missing.length === 0) continue
      refused++
      for (const sending of least === 'member' ? [{ as: member }, { key }] : [{ key }]) {
        const reply = await send(server, route, sending)
        const who = `${what}, ${name}, ${'key' in sending ? 'a token' : 'a member'}`
        isError(t, reply, 403, who)
        const named = missing.includes('*') ? ['all languages'] : missing.map(language => `"${language}"`)
        for (const word of named) t.ok(String(reply.json?.error).includes(word), `${who}: names ${word}`)
      }
    }
    t.ok(refused > 0, `${name}: ${refused} routes`)
    t.strictSame(await stateOf(scene), before, `${name}: nothing was changed`)
  }
})

t.test('accepts every write with the least rights that it needs, and without any', async t => {
  const scene = await openScene(t)
  const { server, acme, member } = scene
  const examples = await touchingRoutes(server, NAMES.slug)
  for (const [at, { what, touched, level, least }] of examples.entries()) {
    const callers = least === 'member' ? ['a member', 'a free member', 'a token'] : ['a token']
    for (const who of RIGHTS === 'all' ? callers : [callers[at % callers.length]!]) {
      const slug = `p${at}-${who.replaceAll(' ', '-')}`
      await prepare(scene, slug)
      await server.call('DELETE', '/api/projects/fresh', { key: acme.key })
      const ofProject = (languages: string[]): LanguageRights => [{ projects: [slug], languages, may: level }]
      const rights = touched === 'organization' ? all('translate') : ofProject(touched === 'all' ? ['*'] : touched)
      if (who !== 'a token') await server.narrow(acme, member, who === 'a member' ? rights : null)
      const body = { name: slug, rights }
      const { key } = (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json
      const { route } = (await touchingRoutes(server, slug))[at]!
      const reply = await send(server, route, who === 'a token' ? { key } : { as: member })
      t.ok(reply.status < 300, `${what}, ${who}: ${reply.status} ${reply.text}`)
    }
  }
})
