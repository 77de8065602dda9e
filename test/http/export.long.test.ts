/** Exports when the clients leave or stop reading. */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import t from 'tap'
import { startServer } from './server.ts'

const web = '/api/projects/web'
const path = `${web}/export`

t.test('serves an export while other clients leave or do not read theirs', async t => {
  const server = await startServer(t)
  const { key } = await server.organization('Ann')
  await server.project(key, 'web')
  // More than the buffers of the system hold for a client that does not read.
  for (const namespace of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const text = () => randomBytes(67_000).toString('base64')
    const body = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`key${n}`, text()]))
    await server.must('PUT', `${web}/bundles/en/${namespace}`, { key, body })
  }
  const { hostname, port } = new URL(server.base)
  const dial = () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    const headers = `host: ${hostname}:${port}\r\nx-api-key: ${key}\r\nconnection: close`
    socket.write(`GET ${path}?format=json HTTP/1.1\r\n${headers}\r\n\r\n`)
    return socket
  }
  const leaving = Array.from({ length: 20 }, dial)
  await Promise.all(leaving.map(socket => new Promise(resolve => socket.once('connect', resolve))))
  for (const socket of leaving) socket.destroy()
  const still = Array.from({ length: 8 }, dial)
  await Promise.all(still.map(socket => new Promise(resolve => socket.once('readable', resolve))))
  const whole = await server.get(`${path}?format=json`, key)
  t.equal(Object.keys(whole.json.en).length, 6, 'the export is complete')
  const came: number[] = []
  for (const socket of still) {
    let bytes = 0
    socket.on('data', part => (bytes += part.length))
    await new Promise(resolve => socket.once('close', resolve).resume())
    came.push(bytes)
  }
  // The exports after the first cut may continue, so only the shortest is checked.
  const least = Math.min(...came)
  t.ok(least < whole.bytes.length, `${least} of ${whole.bytes.length} bytes came before the cut`)
})
