/**
 * A token that is limited to some projects: every route of the OpenAPI document answers as if other projects did
 * not exist. Routes of the whole organization are closed or show the own projects only.
 * Also checked by test/http/health (files with problems) and test/http/answer-cache.
 */
import type { Test } from 'tap'
import { git, noGit } from '../http/git-client.ts'
import { isError, type Reply, type Scene } from '../http/server.ts'
import { random } from '../random.ts'
import { untilReady } from '../until-ready.ts'
import { furnish, isOwnWrite, NAMES, type Route, routesOf, send, stateOf } from './routes.ts'

/** Routes without a project in their path that answer such a token. They show its own projects only. */
const SHOW_WITHIN = [
  'GET /api/glossary',
  'GET /api/glossary.csv',
  'GET /api/glossary.tbx',
  'GET /api/machines',
  'GET /api/memory',
  'GET /api/projects',
  'GET /api/whoami',
]

/** A search for the text of a translation that both projects have. */
const SEARCH = '?source=one&from=en&to=de'

/** Routes that accept tokens and belong to no organization, and the tools of agents: `test/mcp/plans.slow.test.ts`. */
const OPEN = /^\/api\/(auth|health|mcp|openapi|docs)|^\/(metrics|cli)/

/** The parts of an answer that a client can compare, with the requested slug blanked. */
function visible({ status, headers, text }: Reply, slug: string): string {
  const { date: _, 'content-length': __, ...others } = headers
  return JSON.stringify([status, others, text]).replaceAll(slug, 'ASKED')
}

const name = ({ method, template }: Route) => `${method} ${template}`

export async function reach(t: Test, scene: Scene): Promise<void> {
  const { server, acme } = scene
  await furnish(server, acme.key)
  const own = await server.project(acme.key, 'own')
  await server.put(`${own}/bundles/en/common`, acme.key, { mine: 'x' })
  await server.must('POST', `${own}/releases`, { key: acme.key, body: { name: 'mine' } })
  const tokens = await Promise.all(
    (['read', 'add', 'suggest', 'write'] as const).map(scope =>
      server.mint(acme.owner, `own ${scope}`, scope, ['own']),
    ),
  )
  const write: string = tokens.at(-1)!.key
  const routes = await routesOf(server)
  const ofProjects = routes.filter(({ template }) => template.includes('{slug}'))

  await t.test('uses one name for the project in all paths', async t => {
    for (const route of routes.filter(({ template }) => template.startsWith('/api/projects/')))
      t.match(route.template, /^\/api\/projects\/\{slug\}(\/|$)/, name(route))
  })

  await t.test('answers as for an unknown project when the token does not reach it, on every route', async t => {
    t.ok(ofProjects.length >= 17, `${ofProjects.length} routes`)
    const before = await stateOf(scene)
    for (const { key, scope } of tokens) {
      for (const route of ofProjects) {
        for (const query of route.query.includes('at') ? ['', '?at=v1', '?at=vault/v1'] : ['']) {
          const ask = (slug: string) =>
            send(server, { ...route, path: route.path.replace(NAMES.slug, slug) + query }, { key })
          const [there, nobodys] = [await ask(NAMES.slug), await ask('nobodys')]
          const what = `${name(route)}${query} with ${scope}`
          isError(t, there, 404, what)
          t.equal(there.json?.error, `There is no project "${NAMES.slug}".`, what)
          t.equal(visible(there, NAMES.slug), visible(nobodys, 'nobodys'), what)
        }
        const odd = { ...route, path: route.path.replace(NAMES.slug, encodeURIComponent('a b')) }
        t.equal((await send(server, odd, { key })).status, 400, `${name(route)} of no slug at all`)
      }
    }
    t.strictSame(await stateOf(scene), before, 'nothing was changed')
  })

  await t.test('refuses routes of the whole organization, except those that show the own projects only', async t => {
    const before = await stateOf(scene)
    const whole = routes.filter(({ template, token }) => token && !template.includes('{') && !OPEN.test(template))
    const shown: string[] = []
    for (const route of whole) {
      const query = route.template === '/api/memory' ? SEARCH : ''
      const reply = await untilReady(() => send(server, { ...route, path: route.path + query }, { key: write }))
      if (reply.status < 300) shown.push(name(route))
      else isError(t, reply, 403, name(route))
      t.notMatch(reply.text, NAMES.slug, `${name(route)} names no other project`)
    }
    t.strictSame(shown.sort(), SHOW_WITHIN, 'the next tests cover each of these')
    isError(
      t,
      await server.get('/api/translations.git/info/refs?service=git-upload-pack', write),
      403,
      'the repository contains all projects',
    )
    const made = await server.post('/api/projects', write, { slug: 'fresh', name: 'Fresh', sourceLanguage: 'en' })
    t.equal(
      made.json?.error,
      'This API token reaches only "own", and this needs all projects of the organization.',
      made.text,
    )
    t.strictSame(await stateOf(scene), before, 'nothing was changed')
  })

  await t.test('explains in the output of git why a clone is refused', { skip: noGit }, async t => {
    const url = `${server.base.replace('http://', `http://x:${write}@`)}/api/translations.git`
    const { code, says } = await git(['clone', '-q', url, `${t.testdir()}/clone`])
    t.not(code, 0)
    t.match(says, /reaches only "own"/)
  })

  await t.test('reads the glossary of the organization, which holds for the own projects, and writes none', async t => {
    for (const { key } of tokens) {
      for (const path of ['', '.csv', '.tbx']) {
        const reply = await server.get(`/api/glossary${path}`, key)
        t.equal(reply.status, 200, path)
        t.match(reply.text, 'stays')
      }
      isError(t, await server.get(`/api/projects/${NAMES.slug}/glossary`, key), 404, 'that of another project')
      isError(t, await server.put('/api/glossary', key, { terms: [] }), 403, 'a write')
    }
  })

  await t.test('lists the machines, which belong to the server and to no project', async t => {
    for (const { key } of tokens) t.strictSame((await server.get('/api/machines', key)).json, { machines: [] })
  })

  await t.test('lists the own projects only, now and at past states', async t => {
    const list = async (key: string, query = '') => await server.get(`/api/projects${query}`, key)
    for (const query of ['', '?at=2999-01-01', '?at=own/mine']) {
      const all = (await list(acme.key, query)).json.projects.map(({ slug }: { slug: string }) => slug)
      t.ok(all.includes('own') && all.includes(NAMES.slug), `all of them${query}`)
      for (const { key } of tokens) {
        t.strictSame(
          (await list(key, query)).json.projects,
          [{ slug: 'own', name: 'own', sourceLanguage: 'en', defaultFormat: 'i18next-json' }],
          query,
        )
      }
    }
    const { etag } = (await list(write)).headers
    await server.put(`/api/projects/${NAMES.slug}/bundles/en/common`, acme.key, { fresh: String(random()) })
    t.equal((await list(write)).headers.etag, etag, 'its entity tag does not reveal writes to other projects')
    const passing = await server.project(acme.key, 'passing')
    const { key } = await server.mint(acme.owner, 'of a passing project', 'read', ['passing'])
    await server.must('DELETE', passing, { key: acme.key })
    t.strictSame((await list(key)).json, { projects: [] })
    isError(t, await server.get(passing, key), 404, 'a deleted project')
  })

  await t.test('finds texts of the own projects only', async t => {
    await server.put(`/api/projects/${NAMES.slug}/bundles/en/memory`, acme.key, { a: 'one' })
    await server.put(`/api/projects/${NAMES.slug}/bundles/de/memory`, acme.key, { a: 'eins' })
    const search = (key: string, query = '') => untilReady(() => server.get(`/api/memory${SEARCH}${query}`, key))
    const found = { matches: [{ project: NAMES.slug, score: 100 }] }
    t.match((await search(acme.key)).json, found, 'all projects')
    for (const { key } of tokens) {
      t.strictSame((await search(key)).json, { matches: [], complete: true })
      const [theirs, nobodys] = [await search(key, `&project=${NAMES.slug}`), await search(key, '&project=nobodys')]
      isError(t, theirs, 404, 'another project')
      t.equal(visible(theirs, NAMES.slug), visible(nobodys, 'nobodys'))
    }
    await server.put(`${own}/bundles/en/memory`, acme.key, { a: 'one' })
    await server.put(`${own}/bundles/de/memory`, acme.key, { a: 'eins' })
    for (const { key } of tokens) {
      const { matches } = (await search(key)).json
      t.match(matches, [{ project: 'own', message: 'eins' }], 'although another project has the same pair')
      t.equal(matches.length, 1)
    }
  })

  await t.test('refuses a release of another project as a state', async t => {
    const asks: [string, (at: string) => Promise<Reply>][] = [
      ['bundle', at => server.get(`${own}/bundles/en/common?at=${at}`, write)],
      ['projects', at => server.get(`/api/projects?at=${at}`, write)],
      ['history', at => server.get(`${own}/history?at=${at}`, write)],
      ['diff from', at => server.get(`${own}/diff?from=${at}`, write)],
      ['diff to', at => server.get(`${own}/diff?from=2999-01-01&to=${at}`, write)],
      ['restore', at => server.post(`${own}/restore`, write, { at })],
    ]
    for (const [what, ask] of asks) {
      for (const sign of ['', '%5E']) {
        const [theirs, nobodys] = [await ask(`vault/v1${sign}`), await ask(`vault/v0${sign}`)]
        isError(t, theirs, 404, what)
        t.equal(visible(theirs, 'v1'), visible(nobodys, 'v0'), what)
      }
      t.ok((await ask('own/mine')).status < 300, `${what}: its own release is accepted`)
    }
  })

  await t.test('allows the scope of the token within its projects', async t => {
    const [read, add] = tokens as { key: string }[]
    const bundle = `${own}/bundles/en/common`
    for (const { key } of tokens) t.equal((await server.get(bundle, key)).status, 200)
    t.equal((await server.post(bundle, add!.key, { more: 'x' })).status, 200)
    isError(t, await server.put(bundle, add!.key, { more: 'y' }), 403, 'a push with add')
    isError(t, await server.post(bundle, read!.key, { more: 'y' }), 403, 'any write with read')
    t.equal((await server.put(bundle, write, { more: 'y' })).status, 200)
    const change = { key: write, body: { name: 'Our own' } }
    t.equal((await server.call('PATCH', own, change)).status, 200)
  })

  await t.test('documents the routes that accept writes with a token', async t => {
    const writes = routes.filter(route => isOwnWrite(route) && route.token && !route.template.includes('{slug}'))
    t.strictSame(writes.map(name).sort(), [
      'POST /api/projects',
      'PUT /api/glossary',
      'PUT /api/glossary.csv',
      'PUT /api/glossary.tbx',
    ])
  })
}
