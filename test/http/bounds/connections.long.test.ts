import { subscribe } from 'node:diagnostics_channel'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t from 'tap'
import { buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { dataFolder, eventually, settings } from '../../contract/server.ts'
import { type Server, startServer } from '../server.ts'

t.setTimeout(0)

const timeouts = { headers: 1500, request: 3000, nextRequest: 300, check: 100 }

/** The sockets that the servers of this process have accepted, by the port of the client. */
const accepted = new Map<number, Socket>()
subscribe('net.server.socket', message => {
  const { socket } = message as { socket: Socket }
  accepted.set(socket.remotePort!, socket)
})

/** A raw connection with the received bytes and its end. */
function dial(server: Server) {
  const { hostname, port } = new URL(server.base)
  const socket = connect({ port: Number(port), host: hostname })
  const parts: Buffer[] = []
  socket.on('error', () => {})
  socket.on('data', part => parts.push(part))
  const ended = new Promise<string>(resolve =>
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1'))),
  )
  return { socket, ended, received: () => Buffer.concat(parts).toString('latin1') }
}

/** The head of a push without the headers of its body. */
const push = (key: string, namespace = 'a') =>
  `PUT /api/projects/web/bundles/en/${namespace} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`

/** Whether a new connection is refused. */
const refusesConnections = (server: Server) =>
  new Promise<boolean>(resolve => {
    const socket = connect(Number(new URL(server.base).port), '127.0.0.1', () => {
      socket.destroy()
      resolve(false)
    }).on('error', () => resolve(true))
  })

t.test('returns 408 and disconnects when a request never ends', async t => {
  const server = await startServer(t, { timeouts })
  const { key } = await server.organization()
  await server.project(key, 'web')
  const unfinished: [name: string, begin: string, dribble: string][] = [
    ['half a request line', 'GET /api', ''],
    ['header after header', 'GET /api/health HTTP/1.1\r\nHost: x\r\n', 'x-a: b\r\n'],
    ['a body byte by byte', `${push(key)}content-length: 1000000\r\n\r\n{"a":"`, 'x'],
    ['chunk by chunk', `${push(key)}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`, '1\r\n \r\n'],
    ['half a body and silence', `${push(key)}content-length: 1000000\r\n\r\n{"a":"`, ''],
    ['a body of an unknown path', 'POST /nowhere HTTP/1.1\r\nHost: x\r\ncontent-length: 1000000\r\n\r\n', 'x'],
  ]
  await Promise.all(
    unfinished.map(async ([name, begin, dribble]) => {
      const { socket, ended } = dial(server)
      socket.write(begin)
      const timer = setInterval(() => socket.writable && socket.write(dribble), 50)
      const answer = await ended
      clearInterval(timer)
      if (begin.includes('/nowhere')) t.match(answer, /^HTTP\/1\.1 404 /, name)
      else t.match(answer, /^HTTP\/1\.1 408 [\s\S]*\r\n\r\n\{"error":"The request did not arrive in time\."\}$/, name)
    }),
  )
  t.strictSame((await server.get('/api/projects/web', key)).json.namespaces, [], 'nothing of it was written')
})

t.test('closes an idle connection before its first request and after one', async t => {
  const server = await startServer(t, { timeouts })
  const silent = dial(server)
  const answered = dial(server)
  answered.socket.write('GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  await silent.ended
  t.match(await answered.ended, /^HTTP\/1\.1 200 OK[\s\S]*\{"status":"ok"\}$/)
})

t.test('closes when the client does not read its answer, and waits for a slow reader', async t => {
  const server = await startServer(t, { timeouts: { idle: 4000 } })
  const { key } = await server.organization()
  await server.project(key, 'web')
  const large = Object.fromEntries(Array.from({ length: 75 }, (_, n) => [`key ${n}`, 'x'.repeat(100_000)]))
  // A busy machine may need longer for a write than an idle connection may last.
  const put = (name: string) => server.put(`/api/projects/web/bundles/en/${name}`, key, large)
  for (const name of ['a', 'b', 'c', 'd'])
    t.ok(
      await eventually(() =>
        put(name)
          .then(({ status }) => status === 200)
          .catch(() => false),
      ),
    )
  const ask = `GET /api/projects/web/bundles/en HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nConnection: close\r\n\r\n`
  // Caches the files, so that rendering is faster than the timeout.
  let length = 0
  const whole = async () => (length = (await server.get('/api/projects/web/bundles/en', key)).bytes.length) > 0
  t.ok(await eventually(() => whole().catch(() => false)))

  const lazy = dial(server)
  const begun = new Promise<void>(resolve =>
    lazy.socket.once('data', () => {
      lazy.socket.pause()
      resolve()
    }),
  )
  lazy.socket.write(ask)
  // Rendering may last long on a busy machine.
  await begun
  t.ok(await eventually(() => accepted.get(lazy.socket.localPort!)!.destroyed), 'it is cut')
  lazy.socket.resume()
  const part = await lazy.ended
  t.match(part, /^HTTP\/1\.1 200 OK/)
  t.ok(part.length < length, `${part.length} of ${length} bytes came before the cut`)

  const slow = dial(server)
  let read = 0
  slow.socket.on('data', data => {
    read += data.length
    if (read < 1_000_000) return
    read = 0
    slow.socket.pause()
    setTimeout(() => slow.socket.resume(), 100)
  })
  slow.socket.write(ask)
  t.ok((await slow.ended).length > length)
})

t.test('finishes running requests and closes the other connections when the server stops', async t => {
  const server = await startServer(t, { timeouts: { closing: 2_000 } })
  const { key } = await server.organization()
  await server.project(key, 'web')
  const half = dial(server)
  const body = dial(server)
  const finishing = dial(server)
  half.socket.write('GET /api/health HTTP/1.1\r\nHo')
  body.socket.write(`${push(key, 'never')}content-length: 100\r\n\r\n{"a"`)
  finishing.socket.write(`${push(key, 'done')}expect: 100-continue\r\ncontent-length: 9\r\n\r\n{"a":`)
  t.ok(await eventually(() => finishing.received().includes('100 Continue')), 'the server has read the three requests')
  const closed = server.close()
  t.ok(await eventually(() => refusesConnections(server)), 'the server has stopped listening')
  finishing.socket.write('"x"}')
  t.match(await finishing.ended, /\r\n\r\nHTTP\/1\.1 200 /, 'the running request is finished')
  await closed
  await Promise.all([half.ended, body.ended])
  const again = await startServer(t, { dataDir: server.dataDir })
  t.strictSame((await again.get('/api/projects/web', key)).json.namespaces, ['done'])
})

t.test('closes connections past the limit', async t => {
  const server = await startServer(t, { env: { MAX_CONNECTIONS: '3' } })
  const held = [dial(server), dial(server), dial(server)]
  for (const { socket } of held) socket.write('GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  t.ok(await eventually(() => held.every(({ received }) => received().includes('200 OK'))))
  t.equal(await dial(server).ended, '', 'a fourth connection is closed without an answer')
  held[0]!.socket.destroy()
  t.ok(
    await eventually(() =>
      server.get('/api/health/live').then(
        ({ status }) => status === 200,
        () => false,
      ),
    ),
  )
  for (const { socket } of held) socket.destroy()
})

t.test('bounds the memory of all bodies in flight', async t => {
  const server = await startServer(t, { env: { BODY_MEMORY: '64KiB' } })
  const { key } = await server.organization()
  await server.project(key, 'web')
  const text = JSON.stringify({ a: 'x'.repeat(40_000) })
  const slow = dial(server)
  slow.socket.write(`${push(key, 'slow')}content-length: ${text.length + 2}\r\n\r\n${text}`)
  const put = () => server.put('/api/projects/web/bundles/en/b', key, text)
  t.ok(await eventually(async () => (await put()).status === 503))
  const { headers, json } = await put()
  t.equal(headers['retry-after'], '1')
  t.match(json.error, /^The server is receiving as much as it has room for/)
  t.equal((await server.put('/api/projects/web/bundles/en/c', key, { a: 'x' })).status, 200, 'a small body has room')
  slow.socket.destroy()
  t.ok(await eventually(async () => (await put()).status === 200), 'a client that leaves frees its room')
  for (let n = 0; n < 20; n++) t.equal((await put()).status, 200, 'and so does an answered client')
  for (let n = 0; n < 20; n++) t.equal((await server.post('/api/projects', key, 'x'.repeat(40_000))).status, 413)
  t.equal((await put()).status, 200, 'or refused')
  const never = await server.put('/api/projects/web/bundles/en/b', key, { a: 'x'.repeat(70_000) })
  t.equal(never.status, 413, 'a body larger than BODY_MEMORY is refused for good')
})

t.test('reads a body whole when its chunks have one byte', async t => {
  const server = await startServer(t)
  const { key } = await server.organization()
  await server.project(key, 'web')
  const value = Array.from({ length: 30_000 }, (_, n) => String.fromCharCode(97 + (n % 26))).join('')
  const bytes = JSON.stringify({ a: value })
  const { socket, ended } = dial(server)
  const chunks = [...bytes].map(byte => `1\r\n${byte}\r\n`).join('')
  socket.write(`${push(key)}connection: close\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
  t.match(await ended, /^HTTP\/1\.1 200 /)
  t.strictSame((await server.get('/api/projects/web/bundles/en/a', key)).json, { a: value })
})

t.test('gives way to other organizations when the bodies of one fill the memory', async t => {
  const server = await startServer(t, { env: { BODY_MEMORY: '4MiB' } })
  const [acme, other] = [await server.organization(), await server.organization('Otto')]
  for (const { key } of [acme, other]) await server.project(key, 'web')
  const mebibyte = JSON.stringify({ a: Array.from({ length: 12 }, () => 'x'.repeat(90_000)) })
  const greedy = Array.from({ length: 20 }, () => dial(server))
  for (const [n, { socket }] of greedy.entries()) {
    socket.write(`${push(acme.key, `greedy${n}`)}content-length: ${mebibyte.length + 10}\r\n\r\n${mebibyte}`)
  }
  const refused = () => greedy.filter(({ received }) => received().startsWith('HTTP/1.1 503 ')).length
  t.ok(await eventually(() => refused() >= 16), 'the memory is full')
  for (let n = 0; n < 3; n++) {
    t.equal((await server.put(`/api/projects/web/bundles/en/b${n}`, other.key, mebibyte)).status, 200, 'a large write')
    t.equal((await server.signIn(acme.owner.user.email, acme.owner.password)).status, 200, 'a sign-in')
    const second = await server.mint(acme.owner, `second ${n}`)
    t.equal((await server.put('/api/projects/web/bundles/en/c', second.key, mebibyte)).status, 200, 'another token')
  }
  t.ok(refused() > 16, 'incomplete bodies were cut')
  const same = await server.put('/api/projects/web/bundles/en/d', acme.key, JSON.stringify({ a: 'x'.repeat(2 ** 21) }))
  t.equal(same.status, 503, 'bodies of the same token stay')
  for (const { socket } of greedy) socket.destroy()
})

t.test('applies the same bounds on every address of the host name', async t => {
  const app = await buildApp(readConfig(settings(dataFolder(t), { MAX_CONNECTIONS: '3', HOST: 'localhost' })))
  t.teardown(() => app.close())
  await app.listen({ host: 'localhost', port: 0 })
  for (const { address, port } of app.addresses() as AddressInfo[]) {
    const many = Array.from({ length: 250 }, (_, n) => `h${n}: 1\r\n`).join('')
    const socket = connect(port, address)
    let text = ''
    socket.on('data', data => (text += data))
    socket.write(`GET /api/health/live HTTP/1.1\r\nHost: x\r\n${many}Connection: close\r\n\r\n`)
    await new Promise(resolve => socket.on('close', resolve))
    t.match(text, /^HTTP\/1\.1 431 /, address)
    const held = Array.from({ length: 6 }, () => connect(port, address).on('error', () => {}))
    t.ok(
      await eventually(() => held.filter(({ destroyed }) => destroyed).length === 3),
      `${address}: three of six are cut`,
    )
    for (const one of held) one.destroy()
    t.ok(await eventually(() => held.every(({ destroyed }) => destroyed)))
  }
})
