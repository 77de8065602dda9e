/**
 * Parlance behind the proxies of docs/, as a browser, an app and git find it: Debian's nginx and Caddy with those very
 * files, on other ports.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { eventually, Session } from '../contract/server.ts'
import { freePort } from '../free-port.ts'
import { EventParser } from '../http/event-client.ts'
import { git, noGit } from '../http/git-client.ts'
import { startServer } from '../http/server.ts'
import { nginxWith } from './nginx.ts'

t.setTimeout(0)

const HOST = 'parlance.example.com'
const docs = fileURLToPath(new URL('../../docs/', import.meta.url))

const missing = (program: string, ...argv: string[]) =>
  spawnSync(program, argv).status === 0 ? false : `there is no ${program} on this machine`

/** A proxy's ports, and the folder that all of its files are in. */
interface Place {
  https: number
  http: number
  upstream: number
  folder: string
}

interface Proxy {
  name: string
  absent: string | false
  start: (place: Place) => { argv: string[]; env: Record<string, string> }
}

/** The file of docs/, with what is another machine's replaced; every replacement must find what it is for. */
function adapted(name: string, replacements: [string | RegExp, string][]): string {
  return replacements.reduce(
    (text, [from, to]) => {
      const next = text.replaceAll(from, to)
      if (next === text) throw new Error(`docs/${name} has no ${from}`)
      return next
    },
    readFileSync(join(docs, name), 'utf8'),
  )
}

const PROXIES: Proxy[] = [
  {
    name: 'nginx',
    absent: missing('nginx', '-v'),
    start: ({ https, http, upstream, folder }) => {
      const site = adapted('nginx.conf', [
        [/^ *listen \[::\]:.*\n/gm, ''],
        ['listen 443', `listen 127.0.0.1:${https}`],
        ['listen 80', `listen 127.0.0.1:${http}`],
        ['server 127.0.0.1:3000', `server 127.0.0.1:${upstream}`],
        [/\/etc\/letsencrypt\/live\/[^/]+\/fullchain\.pem/g, join(folder, 'cert.pem')],
        [/\/etc\/letsencrypt\/live\/[^/]+\/privkey\.pem/g, join(folder, 'key.pem')],
      ])
      return { argv: nginxWith(site, folder), env: {} }
    },
  },
  {
    name: 'Caddy',
    absent: missing('caddy', 'version'),
    start: ({ https, http, upstream, folder }) => {
      const site = adapted('Caddyfile', [
        [
          /^parlance\.example\.com \{\n/gm,
          `${HOST} {\n\tbind 127.0.0.1\n\ttls ${join(folder, 'cert.pem')} ${join(folder, 'key.pem')}\n`,
        ],
        ['reverse_proxy 127.0.0.1:3000', `reverse_proxy 127.0.0.1:${upstream}`],
      ])
      const options = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tstorage file_system ${folder}\n}\n`
      writeFileSync(join(folder, 'Caddyfile'), options + site)
      const argv = ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
      return { argv, env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder } }
    },
  },
]

const listens = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

interface Asked {
  headers?: Record<string, string>
  body?: Buffer | object
  as?: Session
  /** Which of this machine's loopback addresses the client has. */
  from?: string
}

/** A client that knows the certificate, and comes from an address of its own. */
function client(port: number, ca: Buffer) {
  const origin = `https://${HOST}:${port}`
  return (method: string, path: string, { headers = {}, body, as, from }: Asked = {}) => {
    const bytes = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const sent: Record<string, string> = { host: `${HOST}:${port}`, ...headers }
    if (as) Object.assign(sent, { cookie: as.cookie, origin: sent.origin ?? origin })
    if (bytes) Object.assign(sent, { 'content-type': 'application/json', 'content-length': String(bytes.length) })
    const where = { host: '127.0.0.1', port, servername: HOST, ca, ...(from && { localAddress: from }) }
    return new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; text: string }>(
      (resolve, reject) => {
        const asking = request({ ...where, method, path, headers: sent, agent: false }, response => {
          const parts: Buffer[] = []
          response.on('data', part => parts.push(part)).on('error', reject)
          response.on('end', () => {
            if (as) as.keep(response.headers)
            resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(parts).toString() })
          })
        })
        asking.on('error', reject)
        asking.end(bytes)
      },
    )
  }
}

function certificate(folder: string): Buffer {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`]
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return readFileSync(cert)
}

async function run(t: Test, { start }: Proxy, place: Place): Promise<void> {
  const { argv, env } = start(place)
  const child = spawn(argv[0]!, argv.slice(1), {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let says = ''
  child.stderr!.on('data', data => (says += data))
  const gone = new Promise<void>(resolve => child.on('close', () => resolve()))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await gone
  })
  const up = await eventually(async () => child.exitCode !== null || (await listens(place.https)))
  if (!up || child.exitCode !== null) throw new Error(`it did not start: ${says}`)
}

for (const proxy of PROXIES) {
  const absent = proxy.absent || missing('openssl', 'version')
  t.test(`behind ${proxy.name}`, { skip: absent }, async t => {
    // Of all that is refused a minute's worth may come at once: 60 times one.
    const env = { TRUST_PROXY: 'loopback', RATE_LIMIT: 'on', REFUSAL_RATE: '1', SIGN_UP: 'open' }
    const server = await startServer(t, { env })
    const folder = `${server.dataDir}-proxy`
    mkdirSync(folder)
    const ca = certificate(folder)
    const upstream = Number(new URL(server.base).port)
    const place = { https: await freePort(), http: await freePort(), upstream, folder }
    await run(t, proxy, place)
    const call = client(place.https, ca)
    const ann = new Session()
    let key = ''

    await t.test('sets Secure cookies and Strict-Transport-Security at sign-up and sign-in', async t => {
      const body = { name: 'Ann', email: 'ann@example.com', password: 'correct horse Ann' }
      const reply = await call('POST', '/api/auth/sign-up/email', { as: ann, body })
      t.equal(reply.status, 200, reply.text)
      t.match(String(reply.headers['set-cookie']), /; HttpOnly; SameSite=Lax; Secure/)
      t.equal(reply.headers['strict-transport-security'], 'max-age=31536000')
      t.equal(
        (await call('POST', '/api/auth/organization/create', { as: ann, body: { name: 'Acme', slug: 'acme' } })).status,
        200,
      )
      const minted = await call('POST', '/api/tokens', { as: ann, body: { name: 'ci' } })
      t.equal(minted.status, 201, minted.text)
      key = JSON.parse(minted.text).key
      const project = { slug: 'web', name: 'Web', sourceLanguage: 'en' }
      const made = await call('POST', '/api/projects', { as: ann, body: project })
      t.equal(made.status, 201)
      t.equal(made.headers.location, 'projects/web')
      const evil = { origin: 'https://evil.example' }
      t.equal(
        (await call('POST', '/api/projects', { as: ann, headers: evil, body: project })).status,
        403,
        'another site',
      )
    })

    await t.test('accepts a push of 8 MiB, and refuses one byte more with the error of Parlance', async t => {
      const path = '/api/projects/web/bundles/en/large'
      const body = Buffer.from(`{"a":"x"${' '.repeat(8 * 2 ** 20 - 9)}}`)
      const headers = { 'x-api-key': key }
      t.equal((await call('PUT', path, { headers, body })).status, 200)
      const larger = { headers, body: Buffer.concat([body, Buffer.from(' ')]) }
      // Caddy passes on the early answer and ends the connection: a client that still writes may miss it.
      const more = await call('PUT', path, larger).catch(() => call('PUT', path, larger))
      t.equal(more.status, 413)
      t.match(JSON.parse(more.text), { error: /8,388,608 bytes/ })
    })

    await t.test('passes entity tags, conditions, compression and keys of every kind', async t => {
      const path = '/api/projects/web/bundles/en/common'
      const headers = { 'x-api-key': key }
      const long = 'é'.repeat(1000)
      for (const name of ['a/b', 'a b', 'a%2Fb', '..', 'a//b', long]) {
        const reply = await call('PUT', `${path}/${encodeURIComponent(name).replace(/^\.\.$/, '%2e%2e')}`, {
          headers,
          body: { value: name },
        })
        // A dot segment, however it is written, is the client's and the proxy's to resolve.
        if (name !== '..') t.equal(reply.status, 200, name.slice(0, 10))
      }
      const full = await call('GET', path, { headers })
      t.equal(full.status, 200)
      t.match(JSON.parse(full.text), { 'a/b': 'a/b', 'a b': 'a b', 'a//b': 'a//b', [long]: long })
      const etag = String(full.headers.etag)
      t.match(etag, /^W\/"[0-9a-f]{40}"$/)
      const same = await call('GET', path, { headers: { ...headers, 'if-none-match': etag } })
      t.equal(same.status, 304)
      t.equal(same.text, '')
      t.equal(same.headers.etag, etag)
      t.equal((await call('PUT', path, { headers: { ...headers, 'if-match': 'W/"x"' }, body: { a: 'x' } })).status, 412)
      const packed = await call('GET', path, { headers: { ...headers, 'accept-encoding': 'gzip' } })
      t.equal(packed.headers['content-encoding'], 'gzip')
      t.equal(packed.headers.etag, etag)
      t.equal(
        (await call('GET', path, { headers: { origin: 'https://app.example', ...headers } })).headers[
          'access-control-allow-origin'
        ],
        '*',
      )
    })

    await t.test('passes events at once', async t => {
      const headers = { host: `${HOST}:${place.https}`, 'x-api-key': key, 'accept-encoding': 'gzip' }
      const where = { host: '127.0.0.1', port: place.https, servername: HOST, ca, agent: false, headers }
      const parser = new EventParser()
      const asking = request({ ...where, path: '/api/projects/web/events' }, response => {
        t.match(response.headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
        response.setEncoding('utf8').on('data', text => parser.take(text))
        response.on('error', () => {})
      })
      asking.on('error', () => {})
      asking.end()
      t.ok(await eventually(() => parser.lastId !== ''), 'the first lines')
      for (const round of [1, 2]) {
        const body = { value: `round ${round}` }
        await call('PUT', '/api/projects/web/bundles/en/live/round', { headers: { 'x-api-key': key }, body })
        t.ok(await eventually(() => parser.events.length === round), `event ${round}, while the answer goes on`)
      }
      asking.destroy()
    })

    await t.test('git clones', { skip: noGit }, async t => {
      const url = `https://x:${key}@${HOST}:${place.https}/api/translations.git`
      const trust = [
        '-c',
        `http.sslCAInfo=${join(folder, 'cert.pem')}`,
        '-c',
        `http.curloptResolve=${HOST}:${place.https}:127.0.0.1`,
      ]
      const { code, says } = await git([...trust, 'clone', '-q', url, join(folder, 'clone')])
      t.equal(code, 0, says)
      t.match(readFileSync(join(folder, 'clone/web/locales/en/common.json'), 'utf8'), '"a b": "a b"')
    })

    await t.test('treats no client as a program on this machine', async t => {
      t.equal((await call('GET', '/metrics')).status, 404)
      t.notMatch((await call('GET', '/metrics', { headers: { host: 'localhost' } })).text, 'nodejs_heap')
      t.match((await server.get('/metrics')).text, 'nodejs_heap', 'as one that is')
    })

    await t.test('limits by the real address of the client, with any forwarding header', async t => {
      const guess = (from: string, n: number) => {
        const claimed = `198.51.100.${n}`
        const headers = {
          'x-api-key': `prl_${n}`,
          'x-forwarded-for': claimed,
          'x-real-ip': claimed,
          forwarded: `for=${claimed}`,
        }
        return call('GET', '/api/projects', { from, headers })
      }
      t.equal((await guess('127.0.0.2', 0)).status, 401)
      // The allowance of a minute may come at once, and each second of the test adds to it.
      let last = 401
      for (let n = 1; n < 1000 && last === 401; n += 20) {
        const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => guess('127.0.0.2', n + i)))
        last = Math.max(...replies.map(({ status }) => status))
      }
      t.equal(last, 429, 'guesses are refused')
      t.equal((await guess('127.0.0.3', 1)).status, 401, 'for that address alone')
      t.equal(
        (await call('GET', '/api/projects', { from: '127.0.0.2', headers: { 'x-api-key': key } })).status,
        200,
        'and for guesses alone',
      )
      const spoofed = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example' }
      const body = { email: 'ann@example.com', password: 'correct horse Ann' }
      const reply = await call('POST', '/api/auth/sign-in/email', { headers: spoofed, body })
      t.equal(reply.status, 200, reply.text)
      t.match(String(reply.headers['set-cookie']), /; Secure/, 'a client cannot remove https')
    })

    await t.test('redirects plain http to https', async t => {
      const location = await new Promise(resolve => {
        const asked = {
          host: '127.0.0.1',
          port: place.http,
          path: '/api/docs?x=1',
          headers: { host: HOST },
          agent: false,
        }
        plainRequest(asked, response => {
          response.resume()
          resolve(`${response.statusCode} ${response.headers.location}`)
        }).end()
      })
      t.match(location, /^30[18] https:\/\/parlance\.example\.com(:\d+)?\/api\/docs\?x=1$/)
    })
  })
}
