import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { request as open } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { eventually } from './eventually.ts'
import { startServer } from './http/server.ts'

const configFor = (DATA_DIR: string) => readConfig({ DATA_DIR, PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'silent' })

t.test('refuses to start a second server on the same data folder, with the reason', async t => {
  const config = configFor(join(t.testdir(), 'data'))
  const app = await buildApp(config)
  await t.rejects(buildApp(config), { code: 'unavailable', message: new RegExp(config.dataDir) })
  await app.close()
  const next = await buildApp(config)
  await next.close()
})

t.test('is ready once it is built, and does not listen by itself', async t => {
  const app = await buildApp(configFor(join(t.testdir(), 'data')))
  t.equal(app.server.listening, false)
  t.equal((await app.inject('/api/health')).statusCode, 200)
  t.equal(app.auth.hasUsers(), false)
  await app.close()
})

t.test('finishes the requests in flight when it closes, and preserves their writes', async t => {
  const server = await startServer(t)
  const { key, id } = await server.organization()
  await server.project(key, 'web')
  const body = Buffer.from(JSON.stringify({ a: 'in flight' }))
  const { hostname, port } = new URL(server.base)
  const entity = { 'content-type': 'application/json', 'content-length': body.length }
  const headers = { 'x-api-key': key, ...entity, expect: '100-continue' }
  const request = open({
    host: hostname,
    port,
    path: '/api/projects/web/bundles/en/a',
    method: 'PUT',
    headers,
    agent: false,
  })
  const answered = new Promise<number>((resolve, reject) => {
    request.on('response', response => response.resume().on('end', () => resolve(response.statusCode ?? 0)))
    request.on('error', reject)
  })
  // The server has the request.
  await once(request, 'continue')
  request.write(body.subarray(0, 5))
  const closed = server.close()
  const isRefused = () =>
    fetch(`${server.base}/api/health`).then(
      () => false,
      () => true,
    )
  t.ok(await eventually(isRefused), 'a new request is refused')
  request.end(body.subarray(5))
  t.equal(await answered, 200)
  await closed
  t.strictSame(
    readdirSync(join(server.dataDir, 'organizations')).filter(name => name === id),
    [id],
  )
  const again = await startServer(t, { dataDir: server.dataDir })
  t.strictSame((await again.get('/api/projects/web/bundles/en/a', key)).json, { a: 'in flight' })
})

t.test('closes a deleted organization at once, and moves it to the deleted ones', async t => {
  const server = await startServer(t)
  const { key, id, owner } = await server.organization()
  await server.project(key, 'web')
  await server.must('POST', '/api/auth/organization/delete', { as: owner, body: { organizationId: id } })
  t.equal((await server.get('/api/projects', key)).status, 401, 'its tokens are gone')
  t.equal((await server.call('GET', '/api/projects', { as: owner })).status, 403, 'and its members belong to nothing')
  const [kept = ''] = readdirSync(join(server.dataDir, 'deleted'))
  t.ok(kept.startsWith(id), kept)
})

t.test('closes all opened resources when the build fails', async t => {
  const dataDir = join(t.testdir({ data: { organizations: 'a file where a folder belongs' } }), 'data')
  await t.rejects(buildApp(configFor(dataDir)))
  await t.rejects(
    buildApp(configFor(dataDir)),
    { message: /organizations cannot be used, for it is no folder/ },
    'the lock is free again',
  )
})

t.test('listens at the given host and port', async t => {
  const app = await buildApp(configFor(join(t.testdir(), 'data')))
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.equal((app.server.address() as AddressInfo).address, '127.0.0.1')
  await app.close()
})

t.test('returns an error of the one shape while it closes', async t => {
  const server = await startServer(t)
  const { key } = await server.organization()
  await server.project(key, 'web')
  const { hostname, port } = new URL(server.base)
  const socket = connect(Number(port), hostname)
  let received = ''
  const ended = new Promise(resolve => socket.on('data', data => (received += data)).on('close', resolve))
  const head = `Host: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`
  socket.write(`PUT /api/projects/web/bundles/en/a HTTP/1.1\r\n${head}{"a":`)
  await new Promise(resolve => setTimeout(resolve, 100))
  const closed = server.close()
  await new Promise(resolve => setTimeout(resolve, 100))
  socket.write(`"x"}GET /api/projects HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`)
  await Promise.all([ended, closed])
  const [written = '', refused] = received.split(/(?=HTTP\/1\.1 )/)
  t.match(written, /^HTTP\/1\.1 200 /)
  t.match(refused, /^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*\{"error":"The server is shutting down\."\}$/)
})
