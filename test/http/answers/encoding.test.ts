import zlib from 'node:zlib'
import t from 'tap'
import { openScene, type Scene } from '../server.ts'

const PATH = '/api/projects/web/bundles/en/common'
const resource = (keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key${at}`, `Text number ${at} of the app`]))

let scene: Scene
let identity: { text: string; etag: string }
t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  await server.call('POST', '/api/projects', {
    key: acme.key,
    body: { name: 'Web', slug: 'web', sourceLanguage: 'en' },
  })
  await server.call('PUT', PATH, { key: acme.key, body: resource(200) })
  const { text, headers } = await server.call('GET', PATH, { key: acme.key })
  identity = { text, etag: String(headers.etag) }
})

const get = (accepted: string, path = PATH, more = {}) =>
  scene.server.call('GET', path, { key: scene.acme.key, headers: { 'accept-encoding': accepted, ...more } })

t.test('compresses with the coding that Accept-Encoding prefers', async t => {
  const unpack = { br: zlib.brotliDecompressSync, gzip: zlib.gunzipSync }
  const cases: [string, 'br' | 'gzip' | undefined][] = [
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['*', undefined],
    ['*;q=0.5', 'br'],
    ['identity', undefined],
    ['identity;q=1, br;q=0.5', undefined],
    ['br;q=0', undefined],
    ['br;q=nonsense', undefined],
    ['zebra', undefined],
    ['', undefined],
  ]
  for (const round of [1, 2]) {
    for (const [accepted, coding] of cases) {
      const { status, headers, bytes } = await get(accepted)
      t.equal(status, 200)
      t.equal(headers['content-encoding'], coding, `${accepted}, round ${round}`)
      t.equal(headers['content-length'], String(bytes.length))
      t.equal(String(coding ? unpack[coding](bytes) : bytes), identity.text)
      t.equal(headers.etag, identity.etag)
      t.equal(headers.vary, coding ? 'Accept-Encoding, Cookie, X-API-Key' : 'Cookie, X-API-Key')
    }
  }
})

t.test('sends the same coding headers for HEAD and 304', async t => {
  const head = await scene.server.call('HEAD', PATH, { key: scene.acme.key, headers: { 'accept-encoding': 'br' } })
  t.equal(head.headers['content-encoding'], 'br')
  t.equal(head.headers['content-length'], String((await get('br')).bytes.length))
  const same = await get('br', PATH, { 'if-none-match': identity.etag })
  t.equal(same.status, 304)
  t.equal(same.headers['content-encoding'], undefined)
  for (const accepted of ['identity', 'br', 'identity', 'gzip']) {
    const [whole, unchanged] = [await get(accepted), await get(accepted, PATH, { 'if-none-match': identity.etag })]
    t.match(unchanged, { status: 304, headers: { vary: whole.headers.vary } }, accepted)
  }
})

t.test('sends a small answer uncompressed, and a large one once it is compressed', async t => {
  const { server, acme } = scene
  await server.call('PUT', `${PATH}-small`, { key: acme.key, body: { a: 'x' } })
  t.equal((await get('br', `${PATH}-small`)).headers['content-encoding'], undefined)
  await server.call('PUT', `${PATH}-large`, { key: acme.key, body: resource(10_000) })
  const plain = await get('br', `${PATH}-large`)
  t.equal(plain.headers['content-encoding'], undefined)
  for (let tries = 0; ; tries++) {
    const { headers, bytes } = await get('br', `${PATH}-large`)
    if (headers['content-encoding'] === undefined && tries < 200) continue
    t.equal(String(zlib.brotliDecompressSync(bytes)), plain.text)
    break
  }
})

t.test('lists two languages when two names lead to the same folder', async t => {
  const { server, acme } = scene
  for (const language of ['de', 'at']) {
    await server.call('PUT', `/api/projects/web/bundles/${language}/common`, { key: acme.key, body: resource(200) })
  }
  const [german, austrian] = await Promise.all(
    ['de', 'at'].map(async language => {
      const { bytes, headers } = await get('br', `/api/projects/web/bundles/${language}`)
      t.equal(headers['content-encoding'], 'br')
      return { body: JSON.parse(String(zlib.brotliDecompressSync(bytes))), etag: headers.etag }
    }),
  )
  t.equal(german!.etag, austrian!.etag)
  t.equal(german!.body.language, 'de')
  t.equal(austrian!.body.language, 'at')
})
