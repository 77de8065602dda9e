/** The MCP server over HTTP: both protocols, tools, plans, rights. */
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import t from 'tap'
import { openScene, type Scene } from '../http/server.ts'
import { Agent } from './agent.ts'

let scene: Scene
let agent: Agent

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  const web = await server.project(acme.key, 'web')
  const put = (path: string, body: object) => server.must('PUT', `${web}/bundles/${path}`, { key: acme.key, body })
  await put('en/common', { hello: 'Hello {{name}}', pay: 'Pay now', item_one: '{{count}} item', item_other: '{{count}} items' })
  await put('de/common', { hello: 'Hallo {{name}}' })
  await put('pl/common', { pay: 'Zapłać' })
  agent = new Agent(server, acme.key)
})

t.test('lists twelve tools', async t => {
  const { tools } = await agent.rpc('tools/list')
  t.same(tools.map(({ name }: { name: string }) => name).length, 11)
  t.ok(JSON.stringify(tools).length < 15_000, `${JSON.stringify(tools).length} bytes`)
})

t.test('reads', async t => {
  for (const [tool, input] of [
    ['status', {}],
    ['status', { project: 'web' }],
    ['status', { project: 'web', language: 'de', is: ['missing'] }],
    ['find_texts', { project: 'web', text: 'PAY' }],
    ['find_texts', { project: 'web', text: 'zapł', language: 'pl' }],
    ['get_key', { project: 'web', namespace: 'common', key: 'hello' }],
    ['guide', { project: 'web' }],
    ['memory', { source: 'Pay now', from: 'en', to: 'pl' }],
    ['history', { project: 'web' }],
  ] as const) {
    const answer = await agent.call(tool, input)
    console.log(tool, JSON.stringify(answer).slice(0, 600))
  }
})

t.test('writes', async t => {
  const set = [{ language: 'de', namespace: 'common', key: 'pay', value: 'Jetzt zahlen' }, { language: 'de', namespace: 'common', key: 'item', value: { one: '{{count}} Artikel', other: '{{count}} Artikel' } }]
  const plan = await agent.call('plan', { project: 'web', set })
  console.log(JSON.stringify(plan))
  const done = await agent.call('apply', { project: 'web', set, plan: plan.plan })
  console.log(JSON.stringify(done))
  const again = await agent.call('apply', { project: 'web', set, plan: plan.plan })
  console.log(JSON.stringify(again))
  const bad = await agent.call('plan', { project: 'web', set: [{ language: 'de', namespace: 'common', key: 'hello', value: 'Hallo' }] })
  console.log(JSON.stringify(bad))
  const key = await agent.call('get_key', { project: 'web', namespace: 'common', key: 'pay', languages: ['de'] })
  console.log(JSON.stringify(key))
  const r = await agent.call('rename_key', { project: 'web', namespace: 'common', from: 'pay', to: 'cart.pay' })
  console.log(JSON.stringify(r))
  console.log(JSON.stringify(await agent.call('rename_key', { project: 'web', namespace: 'common', from: 'pay', to: 'cart.pay', plan: r.plan })))
  console.log(JSON.stringify(await agent.call('undo', { project: 'web', revisions: [done.revision] })))
})

t.test('speaks with the new client', async t => {
  const client = new NewClient({ name: 'x', version: '1' })
  await client.connect(new NewTransport(new URL(`${scene.server.base}/api/mcp`), { requestInit: { headers: { authorization: `Bearer ${scene.acme.key}` } } }))
  console.log((await client.listTools()).tools.length)
  console.log(JSON.stringify(await client.callTool({ name: 'status', arguments: {} })))
  await client.close()
})
