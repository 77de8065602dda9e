/** Two nodes answer the calls of one agent in turn, in both generations of the protocol. */
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t, { type Test } from 'tap'
import type { Server } from '../contract/server.ts'
import { eventually } from '../eventually.ts'
import { noPostgres, startPostgres } from './postgres.ts'
import { startServers } from './servers.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the answers
type Data = any
type CallTool = (name: string, input: object) => Promise<Data>

/** A fetch that sends the requests of a client to the nodes in turn. */
function inTurn(nodes: readonly Server[], asked: string[]): typeof fetch {
  let turn = 0
  return (input, init) => {
    const { base } = nodes[turn++ % nodes.length]!
    asked.push(base)
    return fetch(new URL(new URL(input instanceof Request ? input.url : input).pathname, base), init)
  }
}

/** A client of 2026-07-28. */
async function connectNew(t: Test, url: URL, key: string, send: typeof fetch): Promise<CallTool> {
  const versionNegotiation = { mode: { pin: '2026-07-28' } } as const
  const client = new NewClient({ name: 'test', version: '1' }, { versionNegotiation })
  await client.connect(
    new NewTransport(url, { fetch: send, requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  )
  t.teardown(() => client.close())
  return async (name, input) =>
    (await client.callTool({ name, arguments: input as Record<string, unknown> })).structuredContent
}

/** A client of 2025-11-25. */
async function connectOld(t: Test, url: URL, key: string, send: typeof fetch): Promise<CallTool> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(url, {
    ...{ fetch: send, requestInit: { headers: { 'x-api-key': key } } },
  })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  t.teardown(() => client.close())
  return async (name, input) =>
    (await client.callTool({ name, arguments: input as Record<string, unknown> })).structuredContent
}

const text = (language: string, key: string, value: string) => ({ language, namespace: 'common', key, value })

t.test('two nodes', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t, 'max_connections=100')
  const { servers } = await startServers(t, postgres, 2)
  const [one, two] = servers as [Server, Server]
  const acme = await one.organization()
  const url = new URL('/api/mcp', one.base)
  const read = async (server: Server, slug: string, language: string) =>
    (await server.get(`/api/projects/${slug}/bundles/${language}/common`, acme.key)).json
  const newProject = async (slug: string) => {
    const path = await one.project(acme.key, slug)
    await one.must('PUT', `${path}/bundles/en/common`, { key: acme.key, body: { a: 'One', b: 'Two' } })
    await one.must('PUT', `${path}/bundles/de/common`, { key: acme.key, body: { a: 'Eins', b: 'Zwei' } })
    return slug
  }

  for (const [generation, connect] of [
    ['2026', connectNew],
    ['2025', connectOld],
  ] as const) {
    await t.test(`a client of ${generation} plans at one node, applies at the other, and undoes`, async t => {
      const project = await newProject(`turns-${generation}`)
      const asked: string[] = []
      const call = await connect(t, url, acme.key, inTurn([one, two], asked))
      const changes = {
        project,
        set: [text('de', 'a', 'Erstens')],
        delete: [{ namespace: 'common', key: 'b' }],
      }
      const { plan } = await call('plan', changes)
      const [planned] = asked.slice(-1)
      const { revision, undo } = await call('apply', { ...changes, plan })
      t.match(revision, /^[0-9a-f]{40}$/)
      t.not(asked.at(-1), planned, 'the other node applied it')
      for (const server of servers) t.strictSame(await read(server, project, 'de'), { a: 'Erstens' })
      t.match(await call('apply', { ...changes, plan }), { repeated: true, revision })
      t.match(await call('apply', { ...changes, plan }), { repeated: true, revision })
      t.match(await call('status', { project }), { languages: [{ language: 'de' }, { language: 'en' }] })
      t.match(await call(undo.tool, undo.arguments), { revision: /^[0-9a-f]{40}$/, skipped: [] })
      for (const server of servers) t.strictSame(await read(server, project, 'de'), { a: 'Eins', b: 'Zwei' })
      const stale = await call('plan', changes)
      await two.must('PUT', `/api/projects/${project}/bundles/de/common/a`, { key: acme.key, body: { value: 'Neu' } })
      t.match(await call('apply', { ...changes, plan: stale.plan }), { status: 409, error: /"a" in de\/common/ })
      t.match(await call('apply', { ...changes, plan: stale.plan }), { status: 409 }, 'at the other node, too')
      t.equal(new Set(asked).size, 2)
    })
  }

  await t.test('a lost answer, repeated at the other node while the first one still writes', async t => {
    const project = await newProject('lost')
    const agents = await Promise.all(
      servers.map(server => connectOld(t, new URL('/api/mcp', server.base), acme.key, fetch)),
    )
    for (let trial = 0; trial < 10; trial++) {
      const changes = { project, set: [text('de', 'a', `Text ${trial}`), text('de', `new${trial}`, 'x')] }
      const { plan } = await agents[trial % 2]!('plan', changes)
      const answers: Data[] = await Promise.all(
        [0, 1, 0, 1].map(node => agents[(trial + node) % 2]!('apply', { ...changes, plan })),
      )
      t.strictSame(new Set(answers.map(({ error }) => error)), new Set([undefined]), `trial ${trial}`)
      t.equal(new Set(answers.map(({ revision }) => revision)).size, 1, 'one revision')
      t.equal(answers.filter(({ repeated }) => !repeated).length, 1, 'written once')
    }
    const { revisions } = (await two.get(`/api/projects/${project}/history?limit=50`, acme.key)).json
    t.equal(revisions.length, 3 + 10, 'the project, two bundles, and a commit for each plan')
  })

  await t.test('a plan of a node that is gone', async t => {
    const project = await newProject('gone')
    const [atOne, atTwo] = await Promise.all(
      servers.map(server => connectNew(t, new URL('/api/mcp', server.base), acme.key, fetch)),
    )
    const changes = { project, set: [text('de', 'a', 'Erstens')] }
    const { plan } = await atOne!('plan', changes)
    const first = await atOne!('apply', { ...changes, plan })
    await one.close()
    let again: Data
    t.ok(
      await eventually(async () => {
        again = await atTwo!('apply', { ...changes, plan }).catch(() => undefined)
        return again?.revision !== undefined
      }),
    )
    t.match(again, { repeated: true, revision: first.revision })
    t.match(await atTwo!(first.undo.tool, first.undo.arguments), { revision: /^[0-9a-f]{40}$/ })
    t.strictSame(await read(two, project, 'de'), { a: 'Eins', b: 'Zwei' })
  })
})
