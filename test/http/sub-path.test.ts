/** Behind a proxy with a sub-path: every address from the server stays below that path. */
import t from 'tap'
import { openWeb } from '../contract/server.ts'

/** The sub-path of the server. The proxy removes it from the forwarded requests. */
const BELOW = '/apps/parlance'

/** Public pages that link to the others. */
const STARTS = [
  '/',
  '/api/docs',
  '/api/docs/',
  '/api/docs/json',
  '/api/docs/static/index.html',
  '/agents.md',
  '/api/openapi.json',
  '/cli/parlance.config.schema.json',
]

/** Addresses in a document, by its type. */
function addressesIn(text: string, type: string): string[] {
  const find = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, address = '']) => address)
  if (type.startsWith('text/html')) return find(/\b(?:href|src|action)="([^"]*)"/g)
  if (type.startsWith('text/css')) return find(/url\(["']?([^"')]+)/g)
  if (type.startsWith('text/plain')) return find(/\]\(([^)\s]+)\)/g)
  if (!type.startsWith('application/json')) return []
  const { info, servers } = JSON.parse(text)
  return [
    ...Array.from(String(info?.description).matchAll(/\]\(([^)\s]+)\)/g), ([, address = '']) => address),
    ...(servers ?? []).map(({ url }: { url: string }) => url),
  ]
}

t.test('links pages, guides and descriptions below the sub-path', async t => {
  const { server } = await openWeb(t)
  const waiting = STARTS.map(path => ({ path, from: 'a bookmark' }))
  const seen = new Set<string>()
  for (const { path, from } of waiting) {
    if (seen.has(path)) continue
    seen.add(path)
    const { status, text, headers } = await server.get(path)
    t.ok([200, 302].includes(status), `${path} from ${from} is ${status}`)
    const type = String(headers['content-type'] ?? '')
    const found = addressesIn(text, type)
    if (headers.location) found.push(String(headers.location))
    for (const address of found) {
      if (/^(?:https?:|data:|#)/.test(address)) continue
      t.notOk(address.startsWith('/'), `${path} names ${address}`)
      const { pathname } = new URL(address, `http://proxy${BELOW}${path}`)
      if (!t.ok(pathname.startsWith(`${BELOW}/`), `${path} leads to ${pathname}`)) continue
      const isServer = type.startsWith('application/json') && !address.endsWith('.md')
      if (isServer) t.equal(pathname, `${BELOW}/`, 'the address of the server')
      else waiting.push({ path: pathname.slice(BELOW.length), from: path })
    }
  }
  for (const kind of ['.css', '.js', '.md', '.png'])
    t.ok(
      [...seen].some(path => path.endsWith(kind)),
      kind,
    )
})

t.test('returns a Location below the sub-path', async t => {
  const { server, acme } = await openWeb(t)
  const rows: [string, object][] = [
    ['/api/projects', { name: 'Shop', slug: 'shop', sourceLanguage: 'en' }],
    ['/api/projects/shop/releases', { name: 'v1.0' }],
  ]
  for (const [path, body] of rows) {
    const created = await server.call('POST', path, { as: acme.owner, body })
    t.equal(created.status, 201, created.text)
    const { pathname } = new URL(String(created.headers.location), `http://proxy${BELOW}${path}`)
    t.match(pathname, new RegExp(`^${BELOW}${path}/[\\w.]+$`))
    t.equal((await server.call('GET', pathname.slice(BELOW.length), { as: acme.owner })).status, 200, pathname)
  }
})
