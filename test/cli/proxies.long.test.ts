/** Between the CLI and the server: a forward proxy of the environment, and TLS by a private authority. */
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { freePort } from '../free-port.ts'
import { newFolder } from '../new-folder.ts'
import { parlance, startParlance } from './command.ts'

const openssl = spawnSync('openssl', ['version']).status === 0
const skip = !openssl && 'there is no openssl'

const { server, env } = await startParlance(t)
const cwd = newFolder(t)

/** Hands a request on to the server. */
function handOn(request: IncomingMessage, response: ServerResponse, path: string): void {
  const { method, headers } = request
  const through = forward(new URL(path, server.base), { method: method!, headers })
  request.pipe(through)
  through.on('response', answer => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)))
}

/** A proxy that wants a name and a password where it is given one, with all that it was asked. */
async function proxyFor(t: Test, { password, refuses }: { password?: string; refuses?: number } = {}) {
  const asked: string[] = []
  const statusFor = ({ headers }: IncomingMessage) => {
    if (refuses !== undefined) return refuses
    const wanted = password && `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`
    return wanted === undefined || headers['proxy-authorization'] === wanted ? 200 : 407
  }
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const status = statusFor(request)
    if (status !== 200) return void response.writeHead(status).end('no')
    const { pathname, search } = new URL(request.url!)
    handOn(request, response, pathname + search)
  })
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`)
    const status = statusFor(request)
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
    const [host = '', port] = request.url!.split(':')
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    for (const one of [socket, target]) one.on('error', () => socket.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo
  return { asked, url: `http://${password ? `ann:${password}@` : ''}127.0.0.1:${port}` }
}

/** The server behind TLS, at `localhost`, by an authority known from its file only. */
async function secure(t: Test) {
  const folder = t.testdir()
  const ssl = (words: string) => execFileSync('openssl', words.split(' '), { cwd: folder, stdio: 'pipe' })
  ssl('req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=Acme -keyout ca.key -out ca.pem')
  ssl(
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost ' +
      '-addext basicConstraints=critical,CA:FALSE -CA ca.pem -CAkey ca.key -keyout key.pem -out cert.pem',
  )
  const read = (name: string) => readFileSync(join(folder, name))
  const front = createSecureServer({ key: read('key.pem'), cert: read('cert.pem') }, (request, response) =>
    handOn(request, response, request.url!),
  )
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  t.teardown(() => {
    front.closeAllConnections()
    front.close()
  })
  return { url: `https://localhost:${(front.address() as AddressInfo).port}`, authority: join(folder, 'ca.pem') }
}

t.test('a proxy that the environment names', { skip }, async t => {
  const { url, authority } = await secure(t)
  const tls = { ...env, PARLANCE_URL: url, NODE_EXTRA_CA_CERTS: authority }
  const host = new URL(url).host
  const run = (more: Record<string, string>) => parlance(t, cwd, ['whoami'], { ...tls, ...more })

  const open = await proxyFor(t)
  const bare = open.url.replace('http://', '')
  const named: Record<string, string>[] = [
    { HTTPS_PROXY: open.url },
    { https_proxy: bare },
    { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: open.url },
  ]
  for (const more of named) {
    open.asked.length = 0
    const { code, err } = await run(more)
    t.equal(code, 0, `${JSON.stringify(more)}: ${err}`)
    t.strictSame([...new Set(open.asked)], [`CONNECT ${host}`])
  }
  const locked = await proxyFor(t, { password: 'hush' })
  t.match(await run({ HTTPS_PROXY: locked.url }), { code: 0 }, 'with a name and a password')

  open.asked.length = 0
  t.match(await run({ HTTPS_PROXY: open.url, NO_PROXY: '.example.com,localhost' }), { code: 0 })
  t.strictSame(open.asked, [], 'none for NO_PROXY')
})

t.test('reports a failing proxy without its password', { skip }, async t => {
  const { url, authority } = await secure(t)
  const tls = { ...env, PARLANCE_URL: url, NODE_EXTRA_CA_CERTS: authority }
  const [locked, forbids] = [await proxyFor(t, { password: 'hush' }), await proxyFor(t, { refuses: 403 })]
  const dead = `127.0.0.1:${await freePort()}`
  const rows: [string, number, RegExp][] = [
    [
      locked.url.replace('hush', 'wrong'),
      1,
      /the proxy of HTTPS_PROXY, 127\.0\.0\.1:\d+, answers 407\. It needs a name/,
    ],
    [forbids.url, 1, /the proxy of HTTPS_PROXY, 127\.0\.0\.1:\d+, answers 403\. NO_PROXY names/],
    [`http://ann:hush@${dead}`, 1, /the proxy of HTTPS_PROXY, 127\.0\.0\.1:\d+, cannot be reached \(ECONNREFUSED\)/],
    ['not an address', 2, /HTTPS_PROXY must be the address of a proxy, such as http/],
  ]
  for (const [HTTPS_PROXY, code, told] of rows) {
    const ended = await parlance(t, cwd, ['whoami'], { ...tls, HTTPS_PROXY })
    t.match(ended, { code, out: '', err: told }, HTTPS_PROXY)
    t.notMatch(ended.err, /hush|wrong/)
  }
})

t.test('an authority of their own', { skip }, async t => {
  const { url, authority } = await secure(t)
  const known = { ...env, PARLANCE_URL: url, NODE_EXTRA_CA_CERTS: authority }
  t.match(await parlance(t, cwd, ['whoami'], known), { code: 0, out: /^server +https:/ })
  const unknown = await parlance(t, cwd, ['whoami'], { ...env, PARLANCE_URL: url })
  t.match(unknown, { code: 1, err: /\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)\. Its certificate .* NODE_EXTRA_CA_CERTS=/ })
  const other = await parlance(t, cwd, ['whoami'], { ...known, PARLANCE_URL: url.replace('localhost', '127.0.0.1') })
  t.match(other, { code: 1, err: /\(ERR_TLS_CERT_ALTNAME_INVALID\)/ }, 'of another name')
})
