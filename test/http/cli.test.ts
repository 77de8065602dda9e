/** `GET /cli` and `GET /api/whoami`: the download of the CLI, and its first request. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { VERSION } from '../../src/http/version.ts'
import { build } from '../bundled.ts'
import { eventually, isError, openWeb } from '../contract/server.ts'

build()

const { server, acme } = await openWeb(t)
const root = join(import.meta.dirname, '../..')

t.test('reports one version in all places', async t => {
  for (const file of ['package.json', 'src/cli/package.json']) {
    t.equal(JSON.parse(readFileSync(join(root, file), 'utf8')).version, VERSION, file)
  }
})

t.test('serves a CLI that runs, with its SHA-256 as entity tag', async t => {
  const reply = await server.get('/cli')
  t.equal(reply.status, 200)
  t.match(reply.headers, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' })
  t.equal(reply.headers.etag, `W/"${createHash('sha256').update(reply.bytes).digest('hex')}"`)
  const file = join(t.testdir(), 'parlance.mjs')
  writeFileSync(file, reply.bytes)
  t.equal(execFileSync(process.execPath, [file, '--version'], { encoding: 'utf8' }), `${VERSION}\n`)
  const again = await server.get('/cli', undefined, { 'if-none-match': reply.headers.etag! })
  t.match(again, { status: 304, text: '' })
  const head = await server.call('HEAD', '/cli')
  t.match(head, { status: 200, text: '', headers: { etag: reply.headers.etag } })
  // The worker compresses a large file: the first client receives it uncompressed.
  const gzipped = () => server.get('/cli', undefined, { 'accept-encoding': 'gzip' })
  t.ok(await eventually(async () => (await gzipped()).headers['content-encoding'] === 'gzip'))
  const { bytes, headers } = await gzipped()
  t.same(gunzipSync(bytes), reply.bytes)
  const known = { 'accept-encoding': 'gzip', 'if-none-match': reply.headers.etag! }
  t.match(await server.get('/cli', undefined, known), { status: 304, headers: { vary: headers.vary } })
  t.equal(headers.vary, 'Accept-Encoding')
  isError(t, await server.call('POST', '/cli'), 405, 'nothing is put there')
})

t.test('serves the schema of the CLI config', async t => {
  const reply = await server.get('/cli/parlance.config.schema.json')
  t.match(reply, { status: 200, json: { title: 'parlance.config.json', additionalProperties: false } })
})

t.test('serves the guide for agents', async t => {
  const reply = await server.get('/agents.md')
  t.match(reply, {
    status: 200,
    headers: { 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-cache' },
    text: readFileSync(join(root, 'docs/agents.md'), 'utf8'),
  })
  t.ok(reply.text.split('\n').length <= 61, 'at most 60 lines')
  t.match(await server.get('/agents.md', undefined, { 'if-none-match': reply.headers.etag! }), {
    status: 304,
    text: '',
  })
})

t.test('returns the owner of a credential', async t => {
  const organization = { id: acme.id, slug: acme.slug }
  t.strictSame((await server.get('/api/whoami', acme.key)).json, {
    organization: { ...organization, name: acme.slug },
    kind: 'token',
    name: 'ci',
    scope: 'write',
    version: VERSION,
  })
  const { key } = await server.mint(acme.owner, 'shop window', 'read', ['web'])
  t.match((await server.get('/api/whoami', key)).json, { name: 'shop window', scope: 'read', projects: ['web'] })
  const session = (await server.call('GET', '/api/whoami', { as: acme.owner })).json
  t.match(session, { organization, kind: 'session', name: 'Ann', role: 'owner' })
  isError(t, await server.get('/api/whoami'), 401, 'a stranger')
  isError(t, await server.get('/api/whoami', 'prl_wrong'), 401, 'an unknown token')
  for (const path of ['/api/whoami', '/api/sign-in'])
    t.equal((await server.get(`${path}?x=1`, acme.key)).status, 200, path)
})
