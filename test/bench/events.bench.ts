/** Measures the processor time of writes beside open event streams; exits with 1 when a limit is missed. */
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { alternate, cpuPerRequest, type Running, request, scratch, UNIQUE } from './harness.ts'
import { startParlance } from './parlance.ts'
import { compared, report } from './report.ts'

const STREAMS = 200
const BUNDLES = 64
const MS = 1_000

/** Opens streams and discards their bytes. @returns a function that ends them */
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
const token = { 'x-api-key': parlance.key }
const writes = Array.from({ length: BUNDLES }, (_, at) =>
  request(`/api/projects/web/bundles/en/n${at}/a.b`, token, { method: 'PUT', body: `{"value":"Changed ${UNIQUE}"}` }),
)
const written = () => cpuPerRequest(parlance.running, writes, 200, { connections: 64, milliseconds: MS })
const [alone = [], heard = []] = await alternate([
  written,
  async () => {
    const end = await listen(parlance.running, '/api/events', token)
    const value = await written()
    await end()
    return value
  },
])
await parlance.running.stop()
process.exitCode = report('events', 'Processor time of writes beside event streams.', [
  compared(`PUT key, 64 clients, ${STREAMS} streams / none`, heard, alone, { unit: 'us', limit: 3, atMost: true }),
])
