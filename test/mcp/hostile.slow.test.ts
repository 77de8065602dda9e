/** Requests of careless and hostile clients: each has an answer that names the fault, and no fault of the server. */
import t from 'tap'
import { answerMcp } from '../../src/mcp/answer-mcp.ts'
import { openScene, type Scene } from '../http/server.ts'
import { Agent } from './agent.ts'

let scene: Scene
let agent: Agent

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  const web = await server.project(acme.key, 'web')
  await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: { a: 'One', constructor: 'Two' } })
  agent = new Agent(server, acme.key)
})

const headers = { accept: 'application/json, text/event-stream' }
const post = (body: unknown) => scene.server.call('POST', '/api/mcp', { key: scene.acme.key, body, headers })
const text = (language: string, key: string, value: unknown) => ({ language, namespace: 'common', key, value })
const named = (key: string, texts: unknown) => ({ namespace: 'common', key, texts })
const cursorOf = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url')

t.test('accepts one message in a request', async t => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  for (const body of [[], [ping], [ping, ping], Array(200).fill(ping)]) {
    const { status, json } = await post(body)
    t.equal(status, 400)
    t.match(json, { jsonrpc: '2.0', id: null, error: { code: -32600, message: /one message in a request/ } })
  }
  for (const body of [null, 1, 'null', {}, { ...ping, jsonrpc: '1.0' }, { ...ping, method: 5 }, '[[[['])
    t.equal((await post(body)).status, 400, JSON.stringify(body))
})

t.test('refuses a message that costs too much to read', async t => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const members = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`k${at}`, 0]))
  for (const body of [
    { ...ping, ...members },
    { ...ping, params: { _meta: members } },
  ])
    t.equal((await post(body)).status, 413)
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`
    const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":${nested(30_000)}}}}`
    t.match((await post(deep)).json, { id: 1, result: {} }, 'nothing walks through what it does not read')
    t.equal((await post(deep.replace('"ping"', nested(5_000)))).status, 400)
  }
  const zeros = { name: 'status', arguments: { a: Array(90_000).fill(0) } }
  const { status, json } = await post({ ...ping, method: 'tools/call', params: zeros })
  t.equal(status, 413)
  t.match(json.error, /more than 80,000 strings, brackets and commas/)
  const commas = { name: 'status', arguments: { project: `"\\\\",[`.repeat(50_000) } }
  t.equal(
    (await post({ ...ping, method: 'tools/call', params: commas })).status,
    200,
    'of texts only their number counts',
  )
})

t.test('answers a notification with 202 and no body', async t => {
  const reply = await post({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'status', arguments: {} } })
  t.strictSame([reply.status, reply.text, reply.headers['content-type']], [202, '', undefined])
})

t.test('reports an unknown tool as a fault of the protocol', async t => {
  for (const name of ['no_such', '__proto__', 'constructor', '', 'x'.repeat(10_000)]) {
    const { json, bytes } = await agent.send('tools/call', { name, arguments: {} })
    t.match(json.error, { code: -32602, message: /tools\/list/ }, name.slice(0, 20))
    t.ok(bytes.length < 300)
  }
  for (const params of [
    undefined,
    {},
    { name: 5 },
    { name: 'status', arguments: [] },
    { name: 'status', arguments: 'x' },
  ])
    t.match((await agent.send('tools/call', params)).json.error, { code: -32602 }, JSON.stringify(params))
})

t.test('names what is wrong with an argument', async t => {
  const project = 'web'
  const lone = '\ud800'
  for (const [name, input, error] of [
    ['get_key', { project, namespace: 'common', key: lone }, /surrogate/],
    ['status', { project: lone }, /surrogate/],
    ['status', { project: 'x'.repeat(100_000) }, /too long/],
    ['status', { project: 'web/status' }, /slug/],
    ['status', { language: 'de' }, /project/],
    ['find_texts', { project, text: 'o', cursor: cursorOf([null, -1]) }, /cursor/],
    ['find_texts', { project, text: 'o', cursor: 'x' }, /cursor/],
    ['guide', { project, languages: ['not a language'] }, /language/],
    ['guide', { project, languages: ['__proto__'] }, /language/],
    ['plan', { project, set: [named('a', { de: 5 })] }, /a text, or the forms of a plural/],
    ['plan', { project, set: [named('a', { de: { one: { x: 'y' } } })] }, /"set.0.texts.de.one" must be a string/],
    ['plan', { project, set: [named('a', { de: JSON.parse('{"__proto__":"x","other":"y"}') })] }, /"__proto__"/],
    [
      'plan',
      { project, set: [text('de', 'a', JSON.parse('{"__proto__":"x","other":"y"}'))] },
      /"set\.0\.texts" is missing/,
    ],
    ['plan', { project, set: [named('a', JSON.parse('{"__proto__":"x","de":"y"}'))] }, /"__proto__"/],
    ['plan', { project, set: [named('a', { de: 5 })] }, /"set.0.texts.de" must be a text/],
    ['plan', { project, delete: [{ namespace: 'common' }] }, /"delete.0.key" is missing/],
    ['plan', { project, delete: 'a' }, /"delete" must be a list/],
    ['plan', { project, more: 1 }, /more/],
    ['plan', { project, set: [named('a', {})] }, /names no change/],
    ['plan', { project, set: [{ ...named('a', { de: 'x' }), language: 'de' }] }, /unknown field "set.0.language"/],
    ['plan', { project, set: [{ namespace: 'common', key: 'a', value: 'x' }] }, /"set.0.texts" is missing/],
    ['plan', { project, set: [named('a', { de: 'x' }), text('de', 'a', 'y')] }, /"a" of de\/common twice/],
    ['plan', { project, colour: 'red', set: 7 }, /"set" must be a list; unknown field "colour"/],
    ['plan', { project, set: [text('__proto__', 'a', 'x')] }, /language/],
    ['plan', { project, set: Array(501).fill(text('de', 'a', 'x')) }, /500/],
    ['plan', { project, rename: [{ namespace: 'common', from: 'a' }] }, /"rename.0.to" is missing/],
    ['undo', { project, revisions: ['--all'] }, /--all/],
    ['apply', { project, set: [text('de', 'a', 'x')], message: 'a\nParlance-Plan: x' }, /control/],
  ] as const)
    t.match(await agent.call(name, input), { error }, `${name} ${JSON.stringify(input).slice(0, 80)}`)
})

t.test('refuses arguments of many levels', async t => {
  for (const set of ['['.repeat(30_000) + ']'.repeat(30_000), `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`]) {
    const call = `{"name":"plan","arguments":{"project":"web","set":${set}}}`
    const { json } = await post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${call}}`)
    t.match(json.result, { isError: true, structuredContent: { error: /arguments do not fit/ } })
  }
})

t.test('writes keys with the names of members of objects', async t => {
  const keys = ['__proto__', 'constructor', 'toString']
  const changes = { project: 'web', set: keys.map(key => text('de', key, `» ${key}`)) }
  const { plan } = await agent.call('plan', changes)
  t.match(await agent.call('apply', { ...changes, plan }), { counts: { added: 3 } })
  const { json } = await scene.server.get('/api/projects/web/bundles/de/common', scene.acme.key)
  t.strictSame(Object.keys(json).sort(), [...keys].sort())
  const deletion = { project: 'web', delete: keys.map(key => ({ namespace: 'common', key })) }
  const next = await agent.call('plan', deletion)
  t.match(await agent.call('apply', { ...deletion, plan: next.plan }), { counts: { removed: 4 } })
})

t.test('logs a fault of its own, and shows no client what it is', async t => {
  const logged: unknown[] = []
  const fault = new Error('a secret path')
  const response = await answerMcp({
    request: new Request('http://localhost/api/mcp', {
      ...{ method: 'POST', headers: { ...headers, 'content-type': 'application/json' } },
    }),
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'status', arguments: {} } },
    version: '1',
    call: () => Promise.reject(fault),
    check: (_shape, value) => value,
    log: error => logged.push(error),
  })
  const answer = await response.text()
  t.match(JSON.parse(answer), { id: 1, error: { code: -32603, message: /log/ } })
  t.notMatch(answer, /secret/)
  t.strictSame(logged, [fault])
})
