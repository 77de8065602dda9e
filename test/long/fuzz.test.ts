/**
 * Every route of the OpenAPI document under valid, almost valid and invalid requests: the server never fails or hangs,
 * never writes outside the folder of the organization, and never breaks a repository. `FUZZ=300` sends 300 batches of
 * requests to each route (3 by default). From 20 on it tries the whole tables. `FUZZ_SEED` repeats a run.
 */
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { Description } from '../described.ts'
import { Attempts } from '../http/fuzz/attempts.ts'
import { nothingOutside, readsAreRight, repositoryIsSound, treeOf } from '../http/fuzz/damage.ts'
import {
  type Document,
  encode,
  type Headers,
  type Operation,
  operationsOf,
  requestTo,
} from '../http/fuzz/from-openapi.ts'
import { BODIES } from '../http/fuzz/hostile-bodies.ts'
import { HEADERS } from '../http/fuzz/hostile-headers.ts'
import { NAMES, NUMBERS, SEGMENTS, TIMES } from '../http/fuzz/hostile-names.ts'
import { noHttp } from '../http/fuzz/no-http.ts'
import type { Known } from '../http/fuzz/values.ts'
import { send, type Wire } from '../http/fuzz/wire.ts'
import { openScene, type Scene } from '../http/server.ts'

const BATCHES = Number(process.env.FUZZ ?? 3)
// The short form is the same each time, so that a change fails for what it did; the long one looks further.
const SEED = Number(process.env.FUZZ_SEED ?? (process.env.FUZZ ? Math.trunc(Math.random() * 2 ** 31) : 565_301_565))

let scene: Scene
let attempts: Attempts
let before: Map<string, string>

t.before(async () => {
  t.setTimeout(24 * 3_600_000)
  t.comment(`FUZZ=${BATCHES} FUZZ_SEED=${SEED}`)
  // A body that is announced and never comes is not waited for long.
  scene = await openScene(t, {}, { timeouts: { headers: 4000, request: 8000, check: 500 } })
  attempts = new Attempts(scene.server)
  attempts.description = Description.of((await scene.server.get('/api/openapi.json')).json)
  const { server, other } = scene
  await server.project(other.key, 'web')
  await server.put('/api/projects/web/bundles/en/common', other.key, { canary: 'untouched' })
  await server.commits(other.id)
  before = treeOf(dirname(server.dataDir))
})

/** Recreates the objects that earlier requests deleted or renamed. @returns valid names */
async function furnish(): Promise<Known> {
  const { server, acme } = scene
  const { key } = acme
  const forms = { item_one: '{{count}} item', item_other: '{{count}} items' }
  const body = { a: 'x', nav: { home: 'Home' }, ...forms, list: ['p', 'q'] }
  for (const [slug, defaultFormat] of Object.entries({ web: 'i18next-json', flat: 'i18next-json-flat' })) {
    await server.post('/api/projects', key, { slug, name: slug, sourceLanguage: 'en', defaultFormat })
    for (const place of ['en/common', 'de/common', 'en/errors', 'pt-BR/common']) {
      await server.put(`/api/projects/${slug}/bundles/${place}`, key, body)
    }
    await server.post(`/api/projects/${slug}/releases`, key, { name: 'v1' })
  }
  const { headers } = await server.get('/api/projects/web/bundles/en/common', key)
  const history = (await server.get('/api/projects/web/history?limit=2', key)).json
  const revisions: string[] = history.revisions.map(({ revision }: { revision: string }) => revision)
  const states = ['v1', 'main', ...revisions, ...revisions.map(id => id.slice(0, 10)), new Date().toISOString()]
  return {
    slug: ['web', 'flat'],
    language: ['en', 'de', 'pt-BR'],
    namespace: ['common', 'errors'],
    key: ['a', 'nav.home', 'item_one', 'item', 'list.0'],
    at: states,
    from: [...states, 'a', 'nav.home'],
    to: [...states, 'b', 'nav.start'],
    cursor: [history.next ?? ''],
    service: ['git-upload-pack', 'git-receive-pack'],
    name: ['v1', 'v2'],
    sourceLanguage: ['en'],
    defaultFormat: ['i18next-json', 'i18next-json-flat'],
    'if-none-match': [String(headers.etag)],
    'if-match': [String(headers.etag)],
  }
}

const description = async (): Promise<Document> => (await scene.server.get('/api/openapi.json')).json

/** All in the long form; in the short one about one in six, others in each run. */
function some(wires: Wire[]): Wire[] {
  return BATCHES >= 20 ? wires : wires.filter((_, index) => Math.imul(index ^ SEED, 0x9e3779b1) >>> 0 < 2 ** 32 / 6)
}

const HOST: [string, string] = ['Host', '127.0.0.1']
const JSON_TYPE: [string, string] = ['Content-Type', 'application/json']
const token = (key = scene.acme.key): Headers => [['X-Api-Key', key]]
const sessionOf = ({ cookie }: { cookie: string }): Headers => [
  ['Cookie', cookie],
  ['Origin', 'http://127.0.0.1'],
]

t.test('survives invalid names at every place of a path', async t => {
  const places: [method: string, before: string, after: string, body?: string][] = [
    ['GET', '/api/projects/', ''],
    ['DELETE', '/api/projects/', ''],
    ['PATCH', '/api/projects/', '', '{"name":"x"}'],
    ['GET', '/api/projects/', '/bundles/en/common'],
    ['GET', '/api/projects/web/bundles/', ''],
    ['PUT', '/api/projects/web/bundles/', '/common', '{"a":"x"}'],
    ['GET', '/api/projects/web/bundles/en/', ''],
    ['PUT', '/api/projects/web/bundles/en/', '', '{"a":"x"}'],
    ['POST', '/api/projects/web/bundles/de/', '', '{"a":"x"}'],
    ['DELETE', '/api/projects/web/bundles/de/', ''],
    ['PUT', '/api/projects/web/bundles/en/common/', '', '{"value":"x"}'],
    ['DELETE', '/api/projects/web/bundles/en/common/', ''],
    ['GET', '/api/projects/web/releases/', ''],
    ['DELETE', '/api/projects/web/releases/', ''],
    ['DELETE', '/api/tokens/', ''],
    ['GET', '/api/docs/', ''],
    ['GET', '/api/docs/static/', ''],
    ['GET', '/', ''],
    ['GET', '/api/', ''],
    ['GET', '/api/auth/', ''],
    ['GET', '/api/translations.git/', ''],
  ]
  await furnish()
  const segments = [...SEGMENTS, ...NAMES.map(encode)]
  const wires = places.flatMap(([method, before, after, body]) =>
    segments.map(segment => ({
      method,
      target: before + segment + after,
      headers: [HOST, ...(before === '/api/tokens/' ? sessionOf(scene.acme.owner) : token()), JSON_TYPE],
      ...(body && { body: Buffer.from(body) }),
    })),
  )
  await attempts.all(t, some(wires))
})

t.test('survives invalid names in a body', async t => {
  const bodies: [path: string, body: (name: string) => object][] = [
    ['POST /api/projects', name => ({ slug: name, name: 'x', sourceLanguage: 'en' })],
    ['POST /api/projects', name => ({ slug: 'web', name, sourceLanguage: 'en' })],
    ['POST /api/projects', name => ({ slug: 'other', name: 'x', sourceLanguage: name })],
    ['POST /api/projects', name => ({ slug: 'other', name: 'x', sourceLanguage: 'en', defaultFormat: name })],
    ['PATCH /api/projects/web', name => ({ name })],
    ['PUT /api/projects/web/bundles/en/names', name => ({ [name]: name, nested: { [name]: 'x' } })],
    ['POST /api/projects/flat/bundles/de/names', name => ({ [name]: name })],
    ['PUT /api/projects/web/bundles/en/common/a', name => ({ value: name })],
    ['PUT /api/projects/web/bundles/en/common/item', name => ({ value: { [name]: 'x', other: name } })],
    ['POST /api/projects/web/rename-key', name => ({ namespace: 'names', from: name, to: 'renamed' })],
    ['POST /api/projects/web/rename-key', name => ({ namespace: name, from: 'a', to: name })],
    ['POST /api/projects/web/releases', name => ({ name })],
    ['POST /api/projects/web/restore', name => ({ at: name })],
    ['POST /api/projects/web/revert', name => ({ revision: name })],
    ['POST /api/projects/web/restore', name => ({ at: 'v1', language: name, namespace: name, key: name })],
  ]
  await furnish()
  const wires = bodies.flatMap(([route, body]) => {
    const [method = '', target = ''] = route.split(' ')
    return [...NAMES, ...(/restore|revert/.test(route) ? TIMES : [])].map(name => ({
      method,
      target,
      headers: [HOST, ...token(), JSON_TYPE],
      body: Buffer.from(JSON.stringify(body(name))),
    }))
  })
  await attempts.all(t, some(wires))
})

t.test('survives names, numbers and times in the query of every read', async t => {
  const known = await furnish()
  const reads = operationsOf(await description()).filter(
    // A stream of events has no end to wait for: see `security/bad-input`.
    ({ method, path }) => method === 'GET' && !path.includes('auth') && !path.endsWith('/events'),
  )
  const wires = reads.flatMap(({ path, parameters = [] }) =>
    [...parameters.filter(one => one.in === 'query').map(({ name }) => name), '__proto__', 'a[b]'].flatMap(query =>
      [...NAMES, ...NUMBERS, ...TIMES].map(value => ({
        method: 'GET',
        target: `${path.replace(/\{(\w+)\}/g, (_, name: string) => known[name]?.[0] ?? 'x')}?${query}=${encode(value)}`,
        headers: [HOST, ...token()],
      })),
    ),
  )
  await attempts.all(t, some(wires))
})

t.test('survives every header, once and twice', async t => {
  const targets = [
    'GET /api/projects/web/bundles/en/common',
    'PUT /api/projects/web/bundles/de/headers',
    'GET /api/tokens',
  ]
  const wires = HEADERS.flatMap(([name, values]) =>
    values.flatMap((value, index) => {
      const [method = '', target = ''] = targets[index % targets.length]!.split(' ')
      const usual = [HOST, ...token(), JSON_TYPE].filter(([usual]) => usual.toLowerCase() !== name.toLowerCase())
      const next = values[(index + 1) % values.length]!
      const alone: Wire = { method, target, headers: [...usual, [name, value]] }
      const both = [alone, { ...alone, headers: [...alone.headers, [name, next]] } as Wire]
      return method === 'PUT' ? both.map(wire => ({ ...wire, body: Buffer.from('{"a":"x"}') })) : both
    }),
  )
  await attempts.all(t, wires)
})

t.test('survives every body of any media type on every route with a body', async t => {
  const routes = operationsOf(await description()).filter(({ method }) => method !== 'GET' && method !== 'DELETE')
  const git: [string, string] = ['Content-Type', 'application/x-git-upload-pack-request']
  const gzip: [string, string] = ['Content-Encoding', 'gzip']
  const known = await furnish()
  const wires = routes.flatMap(({ method, path }, at) =>
    BODIES.map(([, body], index): Wire => {
      const names: Known = { ...known, namespace: [`bodies-${index}`] }
      const types = path.endsWith('git-upload-pack')
        ? [[git], [git, gzip]]
        : [[JSON_TYPE], [JSON_TYPE], [JSON_TYPE], [JSON_TYPE, gzip], []]
      return {
        method,
        target: path.replace(/\{(\w+)\}/g, (_, name: string) => names[name]?.[0] ?? 'x'),
        headers: [
          HOST,
          ...(/tokens|auth/.test(path) ? sessionOf(scene.stranger) : token()),
          ...types[(at + index) % types.length]!,
        ],
        body,
        ...((at + index) % 4 === 0 && { framing: 'chunked' }),
      }
    }),
  )
  await attempts.all(t, some(wires))
})

t.test('survives malformed HTTP and smuggled requests', async t => {
  const { server, acme } = scene
  await furnish()
  for (const [name, bytes] of noHttp(acme.key)) {
    const answers = (await send(server, Buffer.from(bytes, 'latin1'))).filter(({ status }) => status >= 200)
    const problems = answers.length === 0 ? [] : attempts.judge({ method: 'GET', target: '/' }, answers)
    t.strictSame(problems, [], name)
    t.ok(answers.length <= 1, `${name}: one answer, not ${answers.map(({ status }) => status)}`)
  }
  t.equal((await server.get('/api/projects/web', acme.key)).status, 200, 'no hidden request was answered')
})

t.test('survives valid, almost valid and invalid requests on every route', async t => {
  const { server, acme, reader, admin, stranger } = scene
  const operations = operationsOf(await description()).filter(({ path }) => !path.endsWith('/events'))
  t.ok(operations.length > 30, `${operations.length} operations`)
  const sessions = [sessionOf(acme.owner), sessionOf(admin), sessionOf(stranger)]
  const callers: Headers[] = [...Array.from({ length: 6 }, () => token()), ...sessions, token(reader), []]
  for (const operation of operations) {
    const known = { ...(await furnish()), id: [(await server.mint(acme.owner, 'for deletion')).id] }
    if (!operation.path.startsWith('/api/auth')) {
      await holds(t, operation, known, callers)
      continue
    }
    // A new user for each route, since the route may end the session or delete the organization.
    const fay = await server.signUp('Fay')
    const own = await server.createOrganization(fay)
    await holds(t, operation, { ...known, ...ofAccounts(own) }, [sessionOf(fay), sessionOf(fay), []])
  }
})

const ofAccounts = (own: string): Known => ({
  organizationId: [own, own, scene.acme.id, scene.other.id, 'x'],
  organizationSlug: [scene.acme.slug, scene.other.slug],
  slug: [scene.acme.slug, 'new-slug'],
  email: [scene.acme.owner.user.email, 'new@example.com', 'x@y'],
  password: ['correct horse Fay', 'x'],
  newPassword: ['another one to guess'],
  currentPassword: ['correct horse Fay'],
  name: ['Fay', 'Fay <x>\ny'],
  role: ['owner', 'admin', 'member', 'admin,owner'],
  memberIdOrEmail: [scene.acme.owner.user.email],
  userId: [scene.acme.owner.user.id],
  invitationId: ['x'],
  callbackURL: ['https://evil.example', '//evil.example', 'javascript:alert(1)'],
  id: ['x'],
})

async function holds(t: Test, operation: Operation, known: Known, callers: Headers[]): Promise<void> {
  const batch = fc.array(requestTo(operation, known, callers), { minLength: 1, maxLength: 8 })
  const property = fc.asyncProperty(batch, async wires => {
    const problems = (await Promise.all(wires.map(wire => attempts.one(wire)))).flat()
    if (problems.length > 0) throw new Error(problems.join('\n'))
  })
  // Passwords are slow to hash on purpose.
  const dear = /sign-|password/.test(operation.path)
  const result = await fc.check(property, { numRuns: Math.ceil(BATCHES / (dear ? 5 : 1)), seed: SEED + attempts.count })
  const { message } = (result.errorInstance ?? {}) as { message?: string }
  t.equal(result.failed ? `FUZZ_SEED=${SEED}: ${message}` : '', '', `${operation.method} ${operation.path}`)
}

t.test('leaves data folder and repository sound', async t => {
  const { server, acme, other } = scene
  t.comment(`${attempts.count} requests`)
  const polluted = [
    ...Object.keys(Object.prototype),
    ...Object.keys(Array.prototype),
    ...Object.keys(Function.prototype),
  ]
  t.strictSame(polluted, [], 'no prototype was polluted')
  t.strictSame((await server.get('/api/health')).json, { status: 'ok', problems: 0 })
  await repositoryIsSound(t, server, acme)
  await readsAreRight(t, server, acme)
  await repositoryIsSound(t, server, other)
  t.strictSame((await server.get('/api/projects/web/bundles/en/common', other.key)).json, { canary: 'untouched' })
  t.equal((await server.get('/api/projects', other.key)).json.projects.length, 1)
  const inDataFolder = (tree: Map<string, string>) =>
    new Map([...tree].map(([path, is]) => [path.replace(/^data\//, ''), is]))
  // Some requests create organizations with folders.
  const open = readdirSync(join(server.dataDir, 'organizations')).filter(
    id => /^[A-Za-z0-9]{32}$/.test(id) && id !== other.id,
  )
  t.ok(open.includes(acme.id))
  nothingOutside(t, inDataFolder(before), inDataFolder(treeOf(dirname(server.dataDir))), open)
})
