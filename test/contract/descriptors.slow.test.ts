/** Clients must not exhaust the descriptors of the process (`ulimit -n`) that the store needs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { build, main } from '../bundled.ts'
import { addressOf } from './process.ts'
import { dataFolder, eventually, git, Server, settings } from './server.ts'

t.setTimeout(0)

const LIMIT = 160

/** The bundle under a limit of descriptors. */
async function startLimited(t: Test, limit: number, env: Record<string, string> = {}) {
  build()
  const dataDir = dataFolder(t)
  const child = spawn('sh', ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, main, 'serve'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings(dataDir, { LOG_LEVEL: 'info', ...env }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout.on('data', part => (text += part))
  child.stderr.on('data', part => (text += part))
  const exit = new Promise<{ code: number | null; signal: string | null }>(resolve =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  )
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const run = { exit, output: () => text }
  const server = new Server(await addressOf(run), dataDir, async () => {
    child.kill('SIGTERM')
    await exit
  })
  return { server, child, ...run }
}

/** Opens `count` connections with half a request each, while the server accepts them. */
function crowd(server: Server, count: number): Socket[] {
  const { hostname, port } = new URL(server.base)
  return Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.on('connect', () => socket.write('GET /api/health HTTP/1.1\r\nHost: x\r\n'))
    return socket
  })
}

t.test(`serves requests when clients open more connections than ${LIMIT} descriptors allow`, async t => {
  const { server, child, output } = await startLimited(t, LIMIT)
  t.match(
    output(),
    /"msg":"MAX_CONNECTIONS is lowered from 10000 to \d+: .*`ulimit -n` 160/,
    'one line reports the lowered setting',
  )
  const acme = await server.organization()
  await server.project(acme.key, 'web')
  // This client is connected before the others, so the server answers it.
  const { hostname, port } = new URL(server.base)
  const served = connect(Number(port), hostname).setEncoding('latin1')
  await once(served, 'connect')
  const ask = async (method: string, path: string, body = '') => {
    const answer = once(served, 'data')
    const type = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
    served.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${acme.key}\r\n${type}\r\n${body}`)
    return String(await answer)
  }
  for (let round = 0; round < 3; round++) {
    const sockets = crowd(server, 300)
    for (let n = 0; n < 10; n++) {
      const answer = await ask(
        'PUT',
        '/api/projects/web/bundles/en/common/key',
        JSON.stringify({ value: `${round} ${n}` }),
      )
      t.match(answer, /^HTTP\/1\.1 200 /, `write ${round} ${n}`)
      // Spreads the writes over the arrival of the connections.
      await pause(150)
    }
    t.match(await ask('GET', '/api/projects/web/history?limit=3'), /^HTTP\/1\.1 200 /, 'a route that starts git')
    for (const socket of sockets) socket.destroy()
    t.ok(
      await eventually(() =>
        server.get('/api/health/live').then(
          ({ status }) => status === 200,
          () => false,
        ),
      ),
    )
  }
  served.destroy()
  t.equal(child.exitCode, null, 'it runs')
  const clone = join(server.dataDir, '../clone')
  git('/', 'clone', '-q', `${server.base.replace('://', `://x:${acme.key}@`)}/api/translations.git`, clone)
  t.match(git(clone, 'show', 'HEAD:web/locales/en/common.json'), /2 9/)
  t.notMatch(output(), /EMFILE/, 'no call reached the limit')
  t.equal((await server.get('/api/health')).json.status, 'ok')
})
