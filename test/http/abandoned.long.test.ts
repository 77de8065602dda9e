/**
 * The server frees the memory, slots and streams of clients that leave, at each route and moment. It counts, so it has
 * its own process.
 */
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { AnswerMemory } from '../../src/http/bounds/answer-memory.ts'
import { BodyMemory } from '../../src/http/bounds/body-memory.ts'
import { EventStreams } from '../../src/http/events/event-streams.ts'
import { FairSlots } from '../../src/scheduling/fair-slots.ts'
import { eventually } from '../eventually.ts'
import { furnish, type Route, routesOf } from '../security/routes.ts'
import { type Organization, type Server, startServer } from './server.ts'

/** The open reservations of the server in this process, by the object that holds them. */
const pools = {
  answers: new Set<AnswerMemory>(),
  bodies: new Set<BodyMemory>(),
  slots: new Set<FairSlots>(),
  streams: new Set<EventStreams>(),
}
const calls = { hold: 0, admit: 0, follow: 0 }
const { hold } = AnswerMemory.prototype
AnswerMemory.prototype.hold = function (...given) {
  pools.answers.add(this)
  hold.apply(this, given)
  calls.hold++
}
const { follow } = BodyMemory.prototype
BodyMemory.prototype.follow = function (...given) {
  pools.bodies.add(this)
  follow.apply(this, given)
  calls.follow++
}
const { acquire } = FairSlots.prototype
FairSlots.prototype.acquire = function (...given) {
  pools.slots.add(this)
  return acquire.apply(this, given)
}
const { admit } = EventStreams.prototype
EventStreams.prototype.admit = function (...given) {
  pools.streams.add(this)
  admit.apply(this, given)
  calls.admit++
}

const sum = <T>(all: Iterable<T>, of: (one: T) => number) => [...all].reduce((total, one) => total + of(one), 0)
const held = () => ({
  answers: sum(pools.answers, one => one.bytes),
  bodies: sum(pools.bodies, one => one.bytes),
  slots: sum(pools.slots, one => one.load.running + one.load.waiting),
  streams: sum(pools.streams, one => one.counts.open),
})
const NOTHING = { answers: 0, bodies: 0, slots: 0, streams: 0 }

async function nothingIsHeld(t: Test, what: string): Promise<void> {
  await eventually(async () => JSON.stringify(held()) === JSON.stringify(NOTHING))
  t.strictSame(held(), NOTHING, what)
}

/** Sends bytes on a connection of their own and leaves: at once, or after a reset. */
function abandon(server: Server, bytes: string, how: 'end' | 'reset' = 'end'): Promise<void> {
  const { hostname, port } = new URL(server.base)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(bytes, () => (how === 'reset' ? socket.resetAndDestroy() : socket.destroy())),
    )
    socket.on('error', () => {}).once('close', () => resolve())
  })
}

/** A request as bytes; `part` of its body arrives. */
function wire(method: string, path: string, headers: Record<string, string>, body?: unknown, part = 1): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const all = { host: 'localhost', ...headers }
  const sized = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(text.length) }
  const lines = Object.entries({ ...all, ...sized }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text.slice(0, Math.floor(text.length * part))}`
}

const LARGE = Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`key${n}`, `The text of key number ${n}`]))

/** A data folder with an organization, which is open on no server. */
async function closedOrganization(t: Test): Promise<{ dataDir: string; acme: Organization }> {
  const dataDir = t.testdir()
  const server = await startServer(t, { dataDir })
  const acme = await server.organization()
  await furnish(server, acme.key)
  await server.must('PUT', '/api/projects/vault/bundles/en/large', { key: acme.key, body: LARGE })
  await server.close()
  return { dataDir, acme }
}

t.test('releases all reservations when 100 event streams leave while their organization opens', async t => {
  const { dataDir, acme } = await closedOrganization(t)
  const server = await startServer(t, { dataDir })
  const before = calls.admit
  for (const how of ['end', 'reset'] as const) {
    const asked = wire('GET', '/api/events', { 'x-api-key': acme.key })
    await Promise.all(Array.from({ length: 50 }, () => abandon(server, asked, how)))
  }
  // After a reset the request may not be seen.
  t.ok(await eventually(async () => calls.admit >= before + 50), 'the server received the requests')
  await nothingIsHeld(t, 'streams')
})

t.test('releases all reservations when 12 reads of a large bundle leave while their organization opens', async t => {
  const { dataDir, acme } = await closedOrganization(t)
  const server = await startServer(t, { dataDir })
  const before = calls.hold
  const paths = ['bundles/en/large', 'bundles/en', 'export?format=json']
  const asked = paths.map(path => wire('GET', `/api/projects/vault/${path}`, { 'x-api-key': acme.key }))
  await Promise.all(Array.from({ length: 12 }, (_, n) => abandon(server, asked[n % 3]!)))
  t.ok(await eventually(async () => calls.hold >= before + 4), 'the server received the requests')
  await nothingIsHeld(t, 'reads')
})

t.test('releases all reservations when a client leaves any route at any moment', async t => {
  const server = await startServer(t)
  const acme = await server.organization()
  await furnish(server, acme.key)
  await server.must('PUT', '/api/projects/vault/bundles/en/large', { key: acme.key, body: LARGE })
  const routes = await routesOf(server)
  t.ok(routes.length > 60, `${routes.length} routes`)
  const asked = ({ method, path, token, body }: Route, part = 1) => {
    const headers: Record<string, string> = token ? { 'x-api-key': acme.key } : { cookie: acme.owner.cookie }
    const large = path.endsWith('/en/common') && method !== 'GET' && body !== undefined ? LARGE : body
    return wire(method, path, { ...headers, origin: server.origin }, large, part)
  }
  const moments: Record<string, (route: Route) => string> = {
    'once it is sent': route => asked(route),
    'in the middle of its body': route => asked(route, 0.5),
    'before its body': route => asked(route, 0),
    'before the answers of a pipeline': route => asked(route).repeat(12),
  }
  for (const [moment, bytes] of Object.entries(moments)) {
    for (const how of ['end', 'reset'] as const) {
      for (let at = 0; at < routes.length; at += 8) {
        await Promise.all(routes.slice(at, at + 8).map(route => abandon(server, bytes(route), how)))
      }
    }
    await nothingIsHeld(t, moment)
  }
  t.ok(pools.bodies.size > 0 && pools.answers.size > 0 && pools.slots.size > 0 && pools.streams.size > 0)
  t.equal((await server.get('/api/projects', acme.key)).status, 200, 'the server still answers')
})
