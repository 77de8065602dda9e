/** `GET /`: the dashboard and its files. All other paths still answer in JSON. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import t from 'tap'
import { answerFailures } from '../../src/http/answers/errors.ts'
import { dashboardRoutes } from '../../src/http/dashboard.ts'
import { build } from '../bundled.ts'
import { isError, type Reply, startServer } from './server.ts'

build()

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const server = await startServer(t)
const page = await server.get('/')
const loaded = [...page.text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => `/${path}`)
const script = loaded.find(path => path.endsWith('.js'))!

t.test('serves the dashboard and its files by relative addresses, without inline code', async t => {
  t.match(page, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' } })
  t.equal([...page.text.matchAll(/(?:src|href)="/g)].length, loaded.length, 'all are relative')
  t.notMatch(page.text, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
  t.ok(loaded.length >= 2)
  for (const path of loaded) {
    const reply = await server.get(path)
    const kept = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    t.match(reply, { status: 200, headers: { 'cache-control': kept, vary: 'Accept-Encoding' } }, path)
    t.match(reply.headers['content-type'], /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/, path)
  }
})

t.test('sends the content security policy of the dashboard with the dashboard only', async t => {
  const own = { 'content-security-policy': POLICY, 'cross-origin-opener-policy': 'same-origin' }
  const { etag = '' } = page.headers
  const pages: Reply[] = [page, await server.get(script), await server.get('/', undefined, { 'if-none-match': etag })]
  for (const { headers } of pages) {
    t.match(headers, { ...own, 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
    t.notOk('access-control-allow-origin' in headers)
  }
  for (const path of ['/assets/none.js', '/api/projects', '/api/health']) {
    t.equal((await server.get(path)).headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
  }
})

t.test('sends the precompressed files when Accept-Encoding allows them', async t => {
  const plain = await server.get(script)
  for (const [coding, decoded] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const reply = await server.get(script, undefined, { 'accept-encoding': coding })
    t.match(reply.headers, { 'content-encoding': coding, etag: plain.headers.etag })
    t.ok(decoded(reply.bytes).equals(plain.bytes), coding)
  }
  t.notOk('content-encoding' in plain.headers)
})

t.test('answers conditional requests, and refuses other methods', async t => {
  const { etag = '' } = page.headers
  t.match(await server.get('/', undefined, { 'if-none-match': etag }), { status: 304, text: '', headers: { etag } })
  t.equal((await server.get('/?from=mail')).text, page.text)
  t.match(await server.call('HEAD', '/'), { status: 200, text: '', headers: { etag } })
  for (const path of ['/', script, '/icon.svg']) {
    const reply = await server.call('POST', path)
    isError(t, reply, 405, path)
    t.equal(reply.headers.allow, 'GET, HEAD')
  }
})

t.test('answers in JSON on every path but the dashboard', async t => {
  const nowhere = [
    '/index.html',
    '/projects/web',
    '/assets/none.js',
    '/assets/..%2findex.html',
    '/assets/%2e%2e%2f',
    '/api/x',
  ]
  for (const path of [...nowhere, `${script}.br`, '/assets/__proto__']) isError(t, await server.get(path), 404, path)
  isError(t, await server.get('/assets/'), 400, 'a folder')
})

t.test('returns 404 without a build, and serves a build that appears later', async t => {
  let folder: string | undefined
  const app = Fastify()
  t.teardown(() => app.close())
  answerFailures(app)
  dashboardRoutes(app, () => folder)
  t.match(await app.inject('/'), { statusCode: 404, headers: { 'content-type': /json/ } })
  folder = t.testdir({
    'index.html': '<!doctype html>',
    'secret.txt': 'x',
    assets: { 'a.map': '{}', 'b-1.css': 'a{}' },
  })
  t.match(await app.inject('/'), { statusCode: 200, payload: '<!doctype html>' })
  t.equal((await app.inject({ url: '/assets/b-1.css', headers: { 'accept-encoding': 'br' } })).payload, 'a{}')
  t.equal((await app.inject('/assets/a.map')).statusCode, 404, 'a source map')
})
