/**
 * Measures what open streams of events cost the writers, in processor time: the same writes without any, and node:http alone that writes as
 * much to as many; exits with 1 when a limit is missed.
 */
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { alternate, cpuPerRequest, Running as Program, type Running, request, scratch, UNIQUE } from './harness.ts'
import { startParlance } from './parlance.ts'
import { compared, report } from './report.ts'

const STREAMS = 200
const BUNDLES = 64
const MS = 1_000

/** Opens streams, whose bytes nobody looks at. @returns what ends them */
async function listen(running: Running, path: string, headers: Record<string, string>): Promise<() => Promise<void>> {
  const sockets: Socket[] = []
  for (let at = 0; at < STREAMS; at++) {
    const socket = connect(Number(running.url.port), running.url.hostname)
    sockets.push(socket)
    socket.write(request(path, headers))
    const text = await new Promise<string>((resolve, reject) => {
      socket.once('data', data => resolve(data.toString())).once('error', reject)
    })
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text)
    socket.resume().on('error', () => {})
  }
  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

const parlance = await startParlance(join(scratch(), 'data'), { env: { EVENT_STREAMS_PER_CREDENTIAL: '1000' } })
for (let at = 0; at < BUNDLES; at++)
  await parlance.call('PUT', `/api/projects/web/bundles/en/n${at}`, { a: { b: 'x' } })
const alone = await Program.start([process.execPath, join(import.meta.dirname, 'references/streams-alone.mjs')])

const token = { 'x-api-key': parlance.key }
const writes = Array.from({ length: BUNDLES }, (_, at) =>
  request(`/api/projects/web/bundles/en/n${at}/a.b`, token, { method: 'PUT', body: `{"value":"Changed ${UNIQUE}"}` }),
)
/** As long as the event of such a write. */
const event = `id: ${'e'.repeat(40)}\nevent: change\ndata: {"x":"${'x'.repeat(300)}"}\n\n`
const posts = [request('/', {}, { method: 'POST', body: event })]

const written = (connections: number) => cpuPerRequest(parlance.running, writes, 200, { connections, milliseconds: MS })
const posted = () => cpuPerRequest(alone, posts, 200, { connections: 1, milliseconds: MS })
/** A measurement beside open streams. */
const beside = (running: Running, path: string, headers: Record<string, string>, measure: () => Promise<number>) =>
  async function besideStreams() {
    const end = await listen(running, path, headers)
    const value = await measure()
    await end()
    return value
  }

const [many = [], one = [], postsAlone = [], manyHeard = [], oneHeard = [], postsHeard = []] = await alternate([
  () => written(64),
  () => written(1),
  posted,
  beside(parlance.running, '/api/events', token, () => written(64)),
  beside(parlance.running, '/api/projects/web/events', token, () => written(1)),
  beside(alone, '/', {}, posted),
])
await parlance.running.stop()
await alone.stop()
const perEvent = (heard: number[], unheard: number[]) => heard.map((value, at) => (value - unheard[at]!) / STREAMS)
process.exitCode = report('events', 'Processor time of writes that streams of events hear of.', [
  compared(`PUT key, 64 clients, ${STREAMS} streams / none`, manyHeard, many, { unit: 'us', limit: 3, atMost: true }),
  compared('one event to one stream / node:http alone', perEvent(oneHeard, one), perEvent(postsHeard, postsAlone), {
    unit: 'us',
    limit: 3,
    atMost: true,
  }),
])
