/**
 * No request of any shape (many keys, segments, forms, rows, languages, entries) blocks the main thread for too long.
 * The measure is the processor time of the thread. A busy machine stretches it as well: threads share caches and cores.
 * So the limit grows with the current time of a fixed piece of work.
 * It is alone in its process: it starts a server and runs for more than a minute.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { MOST_MEMBERS, MOST_TOKENS } from '../../src/auth/account-bounds.ts'
import { bundlePath, projectPath, renderProject } from '../../src/project/project.ts'
import { type SidecarName, sidecarPath } from '../../src/project/sidecars/sidecars.ts'
import { putAll } from '../bench/filled.ts'
import { eventually, type Reply, startServer } from '../contract/server.ts'
import { routesOf, send } from '../security/routes.ts'
import { untilReady } from '../until-ready.ts'
import { startBuilt } from './built-server.ts'
import { median } from './growth.ts'
import { longestTurn, WATCHING } from './own-turns.ts'

t.setTimeout(0)

/** Milliseconds that others may wait. What one turn has to do beside the request counts too. */
const GOAL = 50
/** The same in times of {@link piece}: about 25 ms on an idle processor of two gigahertz. */
const GOAL_IN_PIECES = 2
const PIECE = JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, `Text ${at}`])))

/** Milliseconds of processor time for a fixed piece of work, now. */
function piece(): number {
  const times = Array.from({ length: 9 }, () => {
    const from = process.threadCpuUsage()
    JSON.parse(PIECE)
    const { user, system } = process.threadCpuUsage(from)
    return (user + system) / 1000
  })
  return median(times)
}

/** Keys of a large body. 100_000 gives half a megabyte and 150,000 stale texts. */
const KEYS = Number(process.env.KEYS ?? 25_000)
/** Projects beside the large one. */
const PROJECTS = 8_000
/** Languages and namespaces of the project `wide`, which has a few texts in each. */
const WIDE = { languages: 1_000, namespaces: 1_500 }

/** Fills the organization of the first token with as many tokens as it may have, each with long limits. */
function fillTokens(dataDir: string): void {
  const database = new Sqlite(join(dataDir, 'parlance.sqlite'))
  const projects = JSON.stringify(Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(60, 'x')))
  const languages = Array.from({ length: 190 }, (_, at) => `de-x-${at}`)
  const rights = JSON.stringify(Array(5).fill({ languages, may: 'translate' }))
  const insert = database.prepare(`
    insert into api_token
      (id, organizationId, name, scope, projects, rights, start, hash, createdAt, createdById, createdByName)
    select ?, organizationId, name, scope, ?, ?, start, randomblob(32), createdAt, createdById, createdByName
    from api_token order by rowid limit 1`)
  for (let at = 1; at < MOST_TOKENS; at++) insert.run(`many${at}`, projects, rights)
  database.close()
}

/** Fills the organization of the first token with as many members as it may have. */
function fillMembers(dataDir: string): void {
  const database = new Sqlite(join(dataDir, 'parlance.sqlite'))
  const { organizationId } = database.prepare('select organizationId from api_token order by rowid limit 1').get() as {
    organizationId: string
  }
  const user = database.prepare(
    `insert into user (id, name, email, emailVerified, createdAt, updatedAt) values (?, 'Ann', ?, 0, ?, ?)`,
  )
  const member = database.prepare(
    `insert into member (id, organizationId, userId, role, createdAt) values (?, ?, ?, 'member', ?)`,
  )
  const time = new Date().toISOString()
  database.transaction(() => {
    for (let at = 1; at < MOST_MEMBERS; at++) {
      user.run(`many${at}`, `many${at}@example.com`, time, time)
      member.run(`many${at}`, organizationId, `many${at}`, time)
    }
  })()
  database.close()
}

/** A resource of some keys. */
const keys = (count: number, text: (at: number) => string, name = (at: number) => `k${at}`) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), text(at)]))
const deep = (count: number) =>
  keys(
    count,
    () => 'x',
    at => `${'a.'.repeat(31)}${at}`,
  )
const forms = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) =>
      ['one', 'few', 'many', 'other'].map(form => [`k${at}_${form}`, 'x']),
    ).flat(),
  )
const items = (count: number) => ({ list: Array.from({ length: count }, (_, at) => `${at}`) })

/** Shapes of a body of at most about a megabyte. Each has another cost. */
const SHAPES: Record<string, object> = {
  'many tiny keys': keys(2.5 * KEYS, () => ''),
  'many texts': keys(KEYS / 4, at => `Text ${at} of some words, {{name}}`),
  '14,103 keys of 32 segments': deep(14_103),
  '4,000 keys of 32 segments': deep(4_000),
  '1,400 keys of 32 segments': deep(1_400),
  'many forms': forms(KEYS / 8),
  'an array of many items': items(KEYS),
  'many numbers': { list: Array.from({ length: KEYS * 2 }, () => 0) },
}

t.test('blocks the main thread for a bounded time with requests of any shape', async t => {
  const first = await startServer(t)
  const { dataDir } = first
  const acme = await first.organization()
  const [web, wide] = [await first.project(acme.key, 'web'), await first.project(acme.key, 'wide')]
  const other = await first.organization('Otto')
  await first.project(other.key, 'web')
  await first.put('/api/projects/web/bundles/en/common', other.key, { title: 'Hello' })
  await first.close()
  const stored = (language: string, namespace: string, content: object, slug = 'web') => ({
    path: bundlePath({ slug, language, namespace }),
    bytes: Buffer.from(`${JSON.stringify(content, null, 2)}\n`),
  })
  const few = keys(20, at => `Text ${at}`)
  const names = Array.from({ length: 1.5 * KEYS }, (_, at) => `k${String(at).padStart(6, '0')}`)
  const large = (text: string) => Object.fromEntries(names.map(name => [name, text]))
  const beside = (sidecar: SidecarName, entry: (at: number) => object, language?: string) => ({
    path: sidecarPath({ slug: 'web', sidecar, namespace: 'noted', language }),
    bytes: Buffer.from(`${JSON.stringify(Object.fromEntries(names.map((name, at) => [name, entry(at)])), null, 2)}\n`),
  })
  const [by, time, of] = [{ id: 'u4fTq9', name: 'Ann' }, '2026-11-20T10:00:00', '0123456789abcdef']
  await putAll(dataDir, acme.id, [
    stored('en', 'noted', large('Text')),
    stored('de', 'noted', large('Satz')),
    beside('notes', at => ({ note: `Label ${at}`, max: 24 })),
    beside('comments', at => [{ id: `c${at}`, by, at: `${time}.000Z`, text: 'Is this a verb?' }]),
    beside('suggestions', at => [{ id: `s${at}`, message: 'Text', by, at: `${time}.000Z`, of }], 'de'),
    beside('marks', () => ({ approved: { at: `${time}Z`, by, of } }), 'de'),
    ...Array.from({ length: 100 }, (_, at) => stored(`de-x-${at}`, 'ns0', { a: 'x' })),
    stored('en', 'stale', large('old')),
    stored('de', 'stale', large('alt')),
    ...Array.from({ length: 302 }, (_, at) => stored('en', `ns${at}`, { a: 'x', b: { c: `Text ${at}` } })),
    ...['en', ...Array.from({ length: WIDE.languages }, (_, at) => `de-x-${at}`)].flatMap(language => [
      stored(language, 'a', few, 'wide'),
      {
        path: sidecarPath({ slug: 'wide', sidecar: 'marks', namespace: 'a', language }),
        bytes: Buffer.from(`${JSON.stringify({ k1: { approved: { at: `${time}Z`, by, of } } })}\n`),
      },
    ]),
    ...Array.from({ length: WIDE.namespaces }, (_, at) =>
      ['en', 'de'].map(language => stored(language, `ns${at}`, few, 'wide')),
    ).flat(),
    ...Array.from({ length: PROJECTS }, (_, at) => ({
      path: projectPath(`project${at}`),
      bytes: renderProject({
        ...{ slug: `project${at}`, name: `Project ${at}` },
        ...{ sourceLanguage: 'en', defaultFormat: 'i18next-json' },
      }),
    })),
  ])
  fillTokens(dataDir)
  fillMembers(dataDir)
  const server = await startBuilt(t, dataDir, { RATE_LIMIT: 'off' }, WATCHING)
  await server.get(web, acme.key)
  // The library of accounts is loaded by the first call.
  await server.call('GET', '/api/auth/organization/list-members?limit=1', { as: acme.owner })
  await server.get('/api/projects/web/bundles/en/common', other.key)

  const over: string[] = []
  const within = async (what: string, act: () => Promise<unknown>) => {
    await longestTurn(server)
    await act()
    const longest = await longestTurn(server)
    t.comment(`${what}: ${longest.toFixed(0)} ms`)
    const goal = longest > GOAL ? Math.max(GOAL, GOAL_IN_PIECES * piece()) : GOAL
    if (longest > goal) over.push(`${what}: ${longest.toFixed(0)} ms of ${goal.toFixed(0)}`)
  }
  const fine = ({ status, text }: Reply) => t.ok(status < 500, `${status} ${text.slice(0, 100)}`)
  const url = (language: string, namespace: string) => `${web}/bundles/${language}/${namespace}`

  for (const [name, body] of Object.entries(SHAPES)) {
    const at = `shape${Object.keys(SHAPES).indexOf(name)}`
    await within(`PUT of ${name}, dry`, async () =>
      fine(await server.put(`${url('en', at)}?dryRun=true`, acme.key, body)),
    )
    await within(`POST of ${name}`, async () => fine(await server.post(url('de', at), acme.key, body)))
    await within(`PUT of ${name}`, async () => fine(await server.put(url('en', at), acme.key, body)))
    await within(`PUT of ${name} again, with details`, async () =>
      fine(await server.put(`${url('en', at)}?details=true&overwrite=true`, acme.key, body)),
    )
    await within(`push of ${name}`, async () =>
      fine(await server.post(`${web}/push`, acme.key, { bundles: { fr: { [at]: body } } })),
    )
    await within(`PUT of a key beside ${name}`, async () =>
      fine(await server.put(`${url('en', at)}/fresh`, acme.key, { value: 'x' })),
    )
    await within(`reads of ${name}`, async () => {
      for (const path of ['', '?empty=omit', '/fresh', '/k7'])
        fine(await server.get(`${url('en', at)}${path}`, acme.key))
    })
  }

  await within('many projects', async () => fine(await server.get('/api/projects', acme.key)))
  for (const path of ['list-members', 'list-members?limit=100', 'get-full-organization', 'list-invitations']) {
    await within(`${path} among many members`, async () =>
      fine(await server.call('GET', `/api/auth/organization/${path}`, { as: acme.owner })),
    )
  }
  await within('status of all', async () => fine(await server.get(`${web}/status`, acme.key)))
  await within('a language', async () => fine(await server.get(`${web}/bundles/en`, acme.key)))
  await within('types', async () => fine(await server.get(`${web}/types.d.ts`, acme.key)))
  const [noted, key] = ['noted', names[7]]
  for (const path of [`notes/${noted}`, `notes/${noted}/${key}`, `comments/${noted}`, `comments/${noted}/${key}`]) {
    await within(path, async () => fine(await server.get(`${web}/${path}`, acme.key)))
  }
  await within('a note among many', async () =>
    fine(await server.put(`${web}/notes/${noted}/${key}`, acme.key, { note: 'New' })),
  )
  await within('a comment among many', async () =>
    fine(await server.post(`${web}/comments/${noted}/${key}`, acme.key, { text: '@Ann '.repeat(700) })),
  )
  await within('a page of many suggestions', async () =>
    fine(await server.get(`${web}/suggestions?limit=100`, acme.key)),
  )
  await within('a context among many', async () =>
    fine(await server.get(`${web}/context/de/${noted}/${key}`, acme.key)),
  )
  await within('the rejection of many suggestions', async () =>
    fine(await server.post(`${web}/suggestions/reject`, acme.key, { language: 'de', by: by.id })),
  )
  await within('the approval of a language', async () =>
    fine(await server.post(`${web}/approve`, acme.key, { language: 'de' })),
  )
  await within('an inbox', async () => fine(await server.call('GET', '/api/inbox', { as: acme.owner })))
  await within('changes with many unknown members', async () =>
    fine(
      await server.post(
        `${web}/changes`,
        acme.key,
        keys(8 * KEYS, () => ''),
      ),
    ),
  )
  const agent = (method: string, params: object) =>
    server.call('POST', '/api/mcp', {
      ...{ key: acme.key, headers: { accept: 'application/json, text/event-stream' } },
      body: { jsonrpc: '2.0', id: 1, method, params },
    })
  await agent('tools/list', {})
  await within('a message of an agent with many members', async () => {
    fine(await agent('tools/list', { _meta: keys(2 * KEYS, () => '') }))
    fine(await agent('tools/call', { name: 'guide', arguments: keys(2 * KEYS, () => '') }))
  })
  await within('20 guides in many languages at once', async () => {
    const calls = Array.from({ length: 20 }, () =>
      agent('tools/call', { name: 'guide', arguments: { project: 'web' } }),
    )
    for (const reply of await Promise.all(calls)) fine(reply)
  })
  const changed = large('new')
  await within('an overwriting push of a source, which turns all translations stale', async () =>
    fine(await server.put(url('en', 'stale'), acme.key, changed)),
  )
  const pushed = (await server.get(`${web}/history?limit=1`, acme.key)).json.revisions[0].revision
  await within('keys of a status', async () =>
    fine(await server.get(`${web}/status/keys?language=de&namespace=stale&is=stale&limit=10`, acme.key)),
  )
  await within('confirm of one key beside many', async () =>
    fine(await server.post(`${web}/confirm`, acme.key, { language: 'de', namespace: 'stale', keys: [names[7]] })),
  )
  await within('a dry revert', async () =>
    fine(await server.post(`${web}/revert?dryRun=true`, acme.key, { revision: pushed })),
  )
  await within('a revert', async () => fine(await server.post(`${web}/revert`, acme.key, { revision: pushed })))
  await within('DELETE of a source bundle', async () =>
    fine(await server.call('DELETE', url('en', 'stale'), { key: acme.key })),
  )
  await within('a restore', async () =>
    fine(await server.post(`${web}/restore`, acme.key, { at: pushed, namespace: 'stale' })),
  )
  await within('a rename of a key', async () =>
    fine(await server.post(`${web}/rename-key`, acme.key, { namespace: 'stale', from: names[9], to: 'renamed' })),
  )
  await within('a rename of a namespace', async () =>
    fine(await server.post(`${web}/rename-namespace`, acme.key, { from: 'stale', to: 'stale2' })),
  )
  await within('a rename of a namespace back', async () =>
    fine(await server.post(`${web}/rename-namespace`, acme.key, { from: 'stale2', to: 'stale' })),
  )
  await within('a rename of a language', async () =>
    fine(await server.post(`${web}/rename-language`, acme.key, { from: 'de', to: 'nl' })),
  )
  await within('a rename of a language back', async () =>
    fine(await server.post(`${web}/rename-language`, acme.key, { from: 'nl', to: 'de' })),
  )
  await within('a format', async () =>
    fine(await server.call('PATCH', web, { key: acme.key, body: { defaultFormat: 'i18next-json-flat' } })),
  )
  const inNamespaces = (value: string) =>
    Array.from({ length: 500 }, (_, at) => ({ language: 'de', namespace: `ns${at}`, key: 'k1', value }))
  await within('machine texts in 500 namespaces', async () =>
    fine(await server.post(`${wide}/changes?machine=true`, acme.key, { set: inNamespaces('Satz') })),
  )
  await within('changes of 2,000 long texts', async () => {
    const set = Array.from({ length: 2_000 }, (_, at) => ({
      ...{ language: `de-x-${at % WIDE.languages}`, namespace: 'a', key: `k${at}` },
      value: 'Satz '.repeat(700),
    }))
    fine(await server.post(`${wide}/changes`, acme.key, { set }))
  })
  await within('an approval of many namespaces', async () =>
    fine(await server.post(`${wide}/approve`, acme.key, { language: 'de' })),
  )
  await within('deletions in 1,000 languages', async () => {
    const removed = Array.from({ length: 18 }, (_, at) => ({ namespace: 'a', key: `k${at + 2}` }))
    fine(await server.post(`${wide}/changes`, acme.key, { delete: removed }))
  })
  await within('a rename of a namespace in 1,000 languages', async () =>
    fine(await server.post(`${wide}/rename-namespace`, acme.key, { from: 'a', to: 'b' })),
  )
  await within('a push of 1,500 source bundles', async () => {
    const texts = Array.from({ length: WIDE.namespaces }, (_, at) => [`ns${at}`, { k1: 'New' }])
    fine(await server.post(`${wide}/push`, acme.key, { bundles: { en: Object.fromEntries(texts) } }))
  })
  const many = Array.from({ length: WIDE.namespaces }, (_, at) => `m${at}`)
  await within('a push of 1,500 new namespaces', async () => {
    const bundles = { 'de-x-9': Object.fromEntries(many.map(name => [name, { k1: 'Neu' }])) }
    fine(await server.post(`${wide}/push`, acme.key, { bundles }))
  })
  for (const [what, query] of [
    ['1,500 namespaces', many.map(name => `namespace=${name}`)],
    ['a namespace 2,000 times', Array(2_000).fill('namespace=b')],
  ] as const) {
    await within(`an export of ${what}`, async () =>
      fine(await server.get(`${wide}/export?format=json&${query.join('&')}`, acme.key)),
    )
  }
  await within('200 deletions beside 1,000 languages', async () => {
    const removed = Array.from({ length: 200 }, (_, at) => ({ namespace: `ns${at}`, key: 'k1' }))
    fine(await server.post(`${wide}/changes`, acme.key, { delete: removed }))
  })
  await within('a push with 2.5 million expected entries', async () => {
    const entries = Array.from({ length: 2_500_000 }, (_, at) => `"e/${at.toString(36)}":"*"`)
    const body = `{"bundles":{},"expected":{${entries.join()}}}`
    t.equal((await server.post(`${web}/push`, acme.key, body)).status, 413)
  })
  const memory = '/api/memory?from=en&to=de&limit=20&source='
  for (const source of ['alt', 'old', 'Text 7 of some words, {{name}}', 'x'.repeat(30_000)]) {
    await within(`a search for ${source.slice(0, 20)}`, async () =>
      fine(await untilReady(() => server.get(memory + encodeURIComponent(source), acme.key))),
    )
  }
  await within('a search from another language', async () =>
    fine(await untilReady(() => server.get('/api/memory?from=de&to=en&source=alt', acme.key))),
  )
  await within('TMX', async () => {
    const reply = await server.get(`${web}/memory.tmx?language=de`, acme.key)
    t.equal(reply.status, 200)
    t.ok(reply.bytes.length > KEYS, `${reply.bytes.length} bytes`)
  })
  const terms = Array.from({ length: 10_000 }, (_, at) => ({
    ...{ term: `word${at}`, translations: { de: { use: [`Wort${at}`], avoid: [`Falsch${at}`] } } },
  }))
  await within('a glossary of 10,000 terms', async () => fine(await server.put('/api/glossary', acme.key, { terms })))
  await within('a status beside 10,000 terms', async () => fine(await server.get(`${wide}/status`, acme.key)))
  await within('a machine text beside 10,000 terms', async () => {
    const set = [{ language: 'de', namespace: 'ns7', key: 'k3', value: 'Neuer Satz' }]
    fine(await server.post(`${wide}/changes?machine=true`, acme.key, { set }))
  })
  await within('60 exports at once', async () => {
    const exports = Array.from({ length: 60 }, () => server.get(`${web}/export?empty=omit`, acme.key))
    for (const reply of await Promise.all(exports)) fine(reply)
  })
  await within('history and a diff', async () => {
    fine(await server.get(`${web}/history?limit=100`, acme.key))
    fine(await server.get(`${web}/diff?from=${pushed}&limit=10`, acme.key))
  })
  await within('an external edit that leaves many stray files', async () => {
    const folder = join(server.repository(acme.id), 'web/locales/en')
    mkdirSync(folder, { recursive: true })
    for (let at = 0; at < 0.6 * KEYS; at++) writeFileSync(join(folder, `note${at}.txt`), 'x')
    writeFileSync(join(folder, 'ns7.json'), '{"a": "edited"}')
    const isTaken = async () => (await server.get(url('en', 'ns7'), acme.key)).json?.a === 'edited'
    t.ok(await eventually(isTaken))
  })

  const examples = { slug: 'web', language: 'en', namespace: 'shape0', key: 'k7', name: 'v1', id: 'unknown' }
  const routes = (await routesOf(server, examples)).filter(
    ({ template }) => !/^\/api\/(auth|mcp|.*\.git)/.test(template),
  )
  // What is deleted last is there for all others.
  const order = ({ method, template }: { method: string; template: string }) =>
    method === 'DELETE' ? 1000 - template.length : 0
  for (const route of routes.sort((a, b) => order(a) - order(b))) {
    const { template, method } = route
    if (template.endsWith('/events')) continue
    const credential = route.token ? { key: acme.key } : { as: acme.owner }
    await within(`${method} ${template}, beside large bundles`, async () => fine(await send(server, route, credential)))
  }
  t.strictSame(over, [])
})
