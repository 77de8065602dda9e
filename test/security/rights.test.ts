/**
 * Rights by language: every write route of the OpenAPI document with members and tokens of different rights. An
 * allowed write succeeds, any other is 403, names what is missing and changes nothing.
 */
import t from 'tap'
import type { LanguageRight, LanguageRights } from '../../src/auth/rights.ts'
import { isError, openScene, type Scene, type Session } from '../http/server.ts'
import { furnish, isOwnWrite, NAMES, type Route, routesOf, send, stateOf, WRITES } from './routes.ts'

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
  'POST /api/projects/{slug}/push': ['en'],
  'POST /api/projects/{slug}/restore': ['en'],
  // It undoes the commit of the release, which is a German one.
  'POST /api/projects/{slug}/revert': ['de'],
  'POST /api/projects/{slug}/confirm': ['de'],
  'POST /api/projects/{slug}/releases': 'all',
  'DELETE /api/projects/{slug}/releases/{name}': 'all',
  'POST /api/tokens': 'accounts',
  'DELETE /api/tokens/{id}': 'accounts',
  'PUT /api/members/{id}/rights': 'accounts',
}

const all = (may: LanguageRight['may'], projects?: string[]): LanguageRights => [
  { ...(projects && { projects }), languages: ['*'], may },
]
const some = (...languages: string[]): LanguageRights => [{ languages, may: 'translate' }]

/** The rights to try, and the languages of the project that they allow to write. */
const RIGHTS: { name: string; rights: LanguageRights | null; writes: string[] | 'all' | 'organization' }[] = [
  { name: 'no rights', rights: null, writes: 'organization' },
  { name: 'all may read', rights: all('read'), writes: [] },
  { name: 'all may suggest', rights: all('suggest'), writes: [] },
  { name: 'all may translate', rights: all('translate'), writes: 'organization' },
  { name: 'all may review', rights: all('review'), writes: 'organization' },
  { name: 'the project may translate', rights: all('translate', [NAMES.slug]), writes: 'all' },
  { name: 'another project may translate', rights: all('translate', ['elsewhere']), writes: [] },
  { name: 'de may translate', rights: some('de'), writes: ['de'] },
  { name: 'en may translate', rights: some('en'), writes: ['en'] },
  { name: 'de and nl may translate', rights: some('de', 'nl'), writes: ['de', 'nl'] },
  {
    name: 'de and en may review here, all may suggest',
    rights: [...all('suggest'), { projects: [NAMES.slug], languages: ['de', 'en'], may: 'review' }],
    writes: ['de', 'en'],
  },
]

const nameOf = ({ method, template }: Route) => `${method} ${template}`

/** The languages, or `*`, that the rights lack for a route. */
function lacking(touched: string[] | 'all' | 'organization', writes: string[] | 'all' | 'organization'): string[] {
  if (writes === 'organization' || (writes === 'all' && touched !== 'organization')) return []
  if (typeof touched === 'string') return ['*']
  return touched.filter(language => !writes.includes(language))
}

interface Asked {
  scene: Scene
  route: Route
  /** As in {@link TOUCHES}, with the language of the path. */
  touched: string[] | 'all' | 'organization'
  writes: string[] | 'all' | 'organization'
  sending: { as: Session } | { key: string }
  what: string
}

async function judge(t: import('tap').Test, { scene, route, touched, writes, sending, what }: Asked): Promise<void> {
  const { server, acme } = scene
  const missing = lacking(touched, writes)
  const before = missing.length > 0 ? await stateOf(scene) : undefined
  const reply = await send(server, route, sending)
  if (before === undefined) {
    t.ok(reply.status < 300, `${what} is written: ${reply.status} ${reply.text}`)
    await furnish(server, acme.key)
    return
  }
  isError(t, reply, 403, what)
  const named = missing.includes('*') ? ['all languages'] : missing.map(language => `"${language}"`)
  for (const name of named) t.ok(reply.json.error.includes(name), `${what} names ${name}: ${reply.text}`)
  t.strictSame(await stateOf(scene), before, `${what} changes nothing`)
}

t.test('names what each write route touches', async t => {
  t.strictSame(Object.keys(TOUCHES).sort(), Object.keys(WRITES).sort())
})

t.test('holds every write route to the rights of the caller', async t => {
  const scene = await openScene(t)
  const { server, acme, member } = scene
  await server.project(acme.key, 'elsewhere')
  await furnish(server, acme.key)
  const routes = (
    await Promise.all(
      ['en', 'de'].map(async language =>
        (
          await routesOf(server, { ...NAMES, language })
        )
          .filter(route => isOwnWrite(route) && (language === 'en' || route.template.includes('{language}')))
          .map(route => ({ route, language })),
      ),
    )
  ).flat()
  for (const { name, rights, writes } of RIGHTS) {
    await t.test(name, async t => {
      await server.narrow(acme, member, rights)
      const body = { name, scope: 'write', ...(rights && { rights }) }
      const { key } = (await server.must('POST', '/api/tokens', { as: acme.owner, body })).json
      for (const { route, language } of routes) {
        const touches = TOUCHES[nameOf(route)]!
        if (touches === 'accounts') continue
        const touched = Array.isArray(touches) ? touches.map(one => one.replace('{language}', language)) : touches
        const what = `${nameOf(route)} in ${language}, ${name}`
        const asked = { scene, route, touched, writes }
        if (WRITES[nameOf(route)]!.least === 'member')
          await judge(t, { ...asked, sending: { as: member }, what: `${what}, a member` })
        await judge(t, { ...asked, sending: { key }, what: `${what}, a token` })
      }
    })
  }
})
