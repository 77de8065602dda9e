/** A job of machine translation in a cluster: one node runs it, each reports it, and another one goes on with it. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { EventClient } from '../http/event-client.ts'
import { FakeMachine, translating } from '../machine/fake-machine.ts'
import { newFolder } from '../new-folder.ts'
import { noPostgres, startPostgres } from './postgres.ts'
import { startServers } from './servers.ts'

t.test('two nodes', { skip: noPostgres() }, async t => {
  const fake = await FakeMachine.open(t)
  const file = join(newFolder(t, { list: '[]' }), 'list')
  chmodSync(file, 0o600)
  writeFileSync(file, JSON.stringify([fake.row('openai', { name: 'Model', batch: 2, concurrency: 1 })]))
  const postgres = await startPostgres(t, 'max_connections=100')
  const { servers } = await startServers(t, postgres, 2, { MACHINES_FILE: file })
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]]
  const acme = await one.organization()
  const { key } = acme
  const url = await one.project(key, 'web')
  const texts = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`k${n}`, `Text ${n}`]))
  await one.must('PUT', `${url}/bundles/en/common`, { key, body: texts })
  await one.must('PUT', `${url}/bundles/de/common`, { key, body: { x: 'x' } })
  const clients = await Promise.all(
    servers.map(server => new EventClient(server.base, '/api/events', { 'x-api-key': key }).opened()),
  )
  t.teardown(() => {
    for (const client of clients) client.close()
  })
  const answer = translating(source => `» ${source}`)
  let isHeld = true
  let held = () => {}
  fake.script = (request, response) => {
    const send = () => response.writeHead(200).end(JSON.stringify(answer(request, response)))
    if (fake.requests.length < 3 || !isHeld) return void send()
    held = send
    return undefined
  }
  const { job } = (await two.must('POST', `${url}/translate`, { key, body: { languages: ['de'] } })).json
  t.ok(await eventually(() => fake.requests.length === 3))
  const news = (client: EventClient) => client.events.filter(({ event }) => event === 'job').map(({ data }) => data)
  for (const client of clients) t.ok(await eventually(() => news(client).some(({ done }) => done === 4)))
  for (const server of servers) {
    t.match((await server.get(`${url}/jobs/${job}`, key)).json, { state: 'running', done: 4, of: 10 })
  }
  // The node that joined first has the jobs. Its stop waits for the request under way.
  isHeld = false
  const closing = one.close()
  held()
  await closing
  t.ok(await eventually(async () => (await two.get(`${url}/jobs/${job}`, key)).json.endedAt !== null))
  t.match((await two.get(`${url}/jobs/${job}`, key)).json, { state: 'done', written: 10, revisions: [String] })
  t.equal(fake.requests.length, 5, 'no text was sent twice')
  t.ok(await eventually(() => news(clients[1]!).some(({ state }) => state === 'done')))
  t.equal((await two.get(`${url}/bundles/de/common`, key)).json.k9, '» Text 9')
})
