/** Bytes: an agent adds texts to a large project, and no answer is large. */
import { type AddressInfo, connect, createServer } from 'node:net'
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t, { type Test } from 'tap'
import { openScene, type Scene } from '../http/server.ts'
import { Agent } from './agent.ts'

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'ja']
const KEYS = 10_000
/** Of a session: all that a client and the server exchange. */
const MOST_BYTES = 20_000

let scene: Scene

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  const path = await server.project(acme.key, 'web')
  const body = Object.fromEntries(
    Array.from({ length: KEYS }, (_, at) => [`page${at % 100}.text${at}`, `Text number ${at}`]),
  )
  const bundles = Object.fromEntries(LANGUAGES.map(language => [language, { common: body }]))
  await server.must('POST', `${path}/push?overwrite=true`, { key: acme.key, body: { bundles } })
})

/** A client as the session uses it: both libraries have these methods. */
interface SessionClient {
  listTools(): Promise<{ tools: unknown[] }>
  callTool(call: { name: string; arguments: object }): Promise<{ structuredContent?: unknown }>
  close(): Promise<void>
}

/** Connects by one of the protocols. */
type Connect = (url: URL, options: { fetch: typeof fetch; requestInit: RequestInit }) => Promise<SessionClient>

const connectNew: Connect = async (url, options) => {
  const client = new NewClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new NewTransport(url, options))
  return client as SessionClient
}

const connectOld: Connect = async (url, options) => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url, options) as Parameters<typeof client.connect>[0])
  return client as SessionClient
}

/** A socket before the server. @returns its address, and the bytes that passed, with all headers */
async function openMeter(t: Test, target: URL): Promise<{ url: URL; passed: () => number }> {
  let bytes = 0
  const meter = createServer(outer => {
    const inner = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        to.write(chunk)
      })
      from.on('close', () => to.destroy()).on('error', () => to.destroy())
    }
  })
  await new Promise<void>(resolve => meter.listen(0, '127.0.0.1', resolve))
  t.teardown(() => meter.close())
  const url = new URL('/api/mcp', target)
  url.port = String((meter.address() as AddressInfo).port)
  return { url, passed: () => bytes }
}

for (const [protocol, open] of Object.entries({ '2026-07-28': connectNew, '2025-11-25': connectOld }))
  t.test(`moves under 20 KB for five keys among 10,000 in ten languages, by ${protocol}`, async t => {
    const { server, acme } = scene
    const { url, passed } = await openMeter(t, new URL(server.base))
    let bytes = 0
    const counted: typeof fetch = async (input, init) => {
      const reply = await fetch(input, init)
      bytes += String(init?.body ?? '').length + (await reply.clone().bytes()).length
      return reply
    }
    const client = await open(url, {
      ...{ fetch: counted, requestInit: { headers: { authorization: `Bearer ${acme.key}` } } },
    })
    t.equal((await client.listTools()).tools.length, 12)
    const call = async (name: string, input: object) =>
      // biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the answers
      (await client.callTool({ name, arguments: { project: 'web', ...input } })).structuredContent as any
    await call('guide', {})
    t.match(await call('find_texts', { text: 'pay now' }), { keys: [], next: null }, 'one call reads all keys')
    const set = Array.from({ length: 5 }, (_, at) => ({
      ...{ namespace: 'common', key: `cart${protocol}.text${at}` },
      texts: Object.fromEntries(LANGUAGES.map(language => [language, `Pay ${at} by card ${language}`])),
    }))
    const { plan } = await call('plan', { set })
    t.strictSame((await call('apply', { set, plan })).counts, { added: 50 })
    t.equal((await call('status', {})).languages.length, 10)
    await client.close()
    t.ok(bytes > 10_000 && bytes < MOST_BYTES, `${bytes} bytes of messages`)
    t.ok(passed() > 10_000 && passed() < MOST_BYTES, `${passed()} bytes on the wire, with headers`)
  })

t.test('answers with less than 32 KB', async t => {
  const { server, acme } = scene
  const agent = new Agent(server, acme.key)
  const name = { namespace: 'common', key: 'cart.text' }
  const texts = Object.fromEntries(LANGUAGES.map(language => [language, `Pay ${language}`]))
  await agent.call('apply', { project: 'web', set: [{ ...name, texts }] })
  const { bytes } = agent
  const { languages } = await agent.call('get_key', { project: 'web', ...name })
  t.equal(Object.keys(languages).length, 10)
  t.ok(agent.bytes - bytes < 9_000, `${agent.bytes - bytes} bytes of one key in ten languages`)

  const removed = Array.from({ length: 100 }, (_, at) => ({ namespace: 'common', key: `page${at}.text${at}` }))
  const { keys, next } = await agent.call('plan', { project: 'web', delete: removed })
  t.equal(keys.length, Number(next ?? 100))
  let cursor: string | undefined
  let found = 0
  for (let pages = 0; pages < 4; pages++) {
    const page = await agent.call('find_texts', {
      project: 'web',
      text: 'number 99',
      language: 'de',
      ...(cursor && { cursor }),
    })
    found += page.keys.length
    cursor = page.next
    if (!cursor) break
  }
  t.equal(found, 111, '99, 990 to 999 and 9900 to 9999')
  await agent.call('status', { project: 'web', language: 'de', is: ['translated'] })
  const long = 'x'.repeat(60_000)
  const set = ['en', 'de'].map(language => ({ language, namespace: 'home', key: 'long', value: long }))
  await agent.call('apply', { project: 'web', set })
  t.match(await agent.call('get_key', { project: 'web', namespace: 'home', key: 'long' }), { key: 'long', cut: true })
  await agent.call('find_texts', { project: 'web', text: 'xxx', namespace: 'home' })
  t.ok(agent.largest < 32 * 1024, `${agent.largest} bytes at most`)
})
