/**
 * Hostile clients: many that do not read, do not finish their headers, or send bodies slowly. The memory of the server
 * stays bounded, and it serves the others. `PRESSURE=500 npm test -- test/long/pressure.test.ts` runs it with 500.
 */
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { eventually, type Organization } from '../contract/server.ts'
import { type BuiltServer, noProc, startBuilt } from './built-server.ts'

const MANY = Number(process.env.PRESSURE ?? 20)
const MB = 2 ** 20
const PROJECT = '/api/projects/web'
/** A bundle of `n` times 100 kB. */
const bundle = (size: number) =>
  Object.fromEntries(Array.from({ length: size }, (_, n) => [`key ${n}`, 'x'.repeat(100_000)]))
const BODY_MEMORY_MB = 8

t.setTimeout(0)

/** A connection below HTTP that reads nothing once its first bytes have come. */
function hold(server: BuiltServer, text: string): { socket: Socket; answered: () => boolean; received: () => string } {
  const { hostname, port } = new URL(server.base)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('error', () => {})
  socket.on('data', data => {
    if (received.length < 2000) received += data.toString('latin1').slice(0, 2000)
    socket.pause()
  })
  socket.write(text)
  return { socket, answered: () => received !== '', received: () => received }
}

async function furnish(t: Test): Promise<{ server: BuiltServer; acme: Organization }> {
  const folder = t.testdir()
  const server = await startBuilt(t, join(folder, 'data'), {
    BODY_MEMORY: `${BODY_MEMORY_MB}MiB`,
    CACHE_BYTES: '4MiB',
  })
  const acme = await server.organization()
  await server.project(acme.key, 'web')
  const bundles = { 'en/large': 20, 'de/a': 60, 'de/b': 60 }
  for (const [place, size] of Object.entries(bundles)) {
    await server.must('PUT', `${PROJECT}/bundles/${place}`, { key: acme.key, body: bundle(size) })
  }
  for (const path of ['/bundles/en/large', '/bundles/de']) await server.must('GET', PROJECT + path, { key: acme.key })
  return { server, acme }
}

/** How many bytes more than `before` the server holds, once it has had a moment. */
const more = async (server: BuiltServer, before: number) => (await server.live()) - before

t.test('bounds the memory that hostile clients hold', { skip: noProc }, async t => {
  const { server, acme } = await furnish(t)
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\nx-api-key: ${acme.key}\r\n`
  const body = `content-type: application/json\r\ncontent-length: ${7 * MB}\r\n\r\n{"a":"${'x'.repeat(MB)}`
  const cases: [name: string, count: number, text: string, answered: boolean, mb: number][] = [
    ['a bundle of 2 MB that is not read', MANY, `${head(`GET ${PROJECT}/bundles/en/large`)}\r\n`, true, 40],
    // More than the buffers of the system hold: the rest is in the server.
    ['a language of 12 MB that is not read', Math.ceil(MANY / 5), `${head(`GET ${PROJECT}/bundles/de`)}\r\n`, true, 36],
    ['half a header', MANY, head('GET /api/projects/web').slice(0, -10), false, 20],
    ['a body that never ends', MANY, head(`PUT ${PROJECT}/bundles/en/other`) + body, false, BODY_MEMORY_MB + 30],
  ]
  for (const [name, count, text, answered, mb] of cases) {
    const before = await server.live()
    const held = Array.from({ length: count }, () => hold(server, text))
    if (answered) t.ok(await eventually(() => held.every(one => one.answered())), `${name}: all are served`)
    else t.ok(await eventually(() => server.descriptors().sockets > count), `${name}: all are connected`)
    const taken = await more(server, before)
    t.ok(taken < mb * MB, `${count} times ${name}: ${(taken / MB).toFixed(1)} MB, less than ${mb}`)
    const reply = await server.put(`${PROJECT}/bundles/de/small/key`, acme.key, { value: name })
    t.equal(reply.status, 200, `${name}: others are served`)
    if (name.startsWith('a body')) {
      const put = () => held.filter(one => one.answered())
      t.ok(await eventually(() => put().length >= (count - BODY_MEMORY_MB) / 2), `${put().length} are put off`)
      const others = put().filter(one => !/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n/i.test(one.received()))
      t.equal(others.length, 0, 'with 503, and when to come back')
    }
    for (const { socket } of held) socket.destroy()
    t.ok(await eventually(() => server.descriptors().sockets < 20), `${name}: the connections are gone`)
    t.ok(await eventually(async () => (await more(server, before)) < 5 * MB), `${name}: and what they held`)
  }
  t.strictSame(
    (await server.get(PROJECT, acme.key)).json.namespaces,
    ['a', 'b', 'large', 'small'],
    'nothing half written',
  )
  server.signal('SIGTERM')
  t.equal((await server.exit).code, 0)
})
