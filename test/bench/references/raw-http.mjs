/** The limit for a read in Node: node:http that hashes the token, looks it up in a Map, and answers from memory. Bodies are files named in its arguments. */
import { createHash, hash } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import zlib from 'node:zlib'

const [token, ...files] = process.argv.slice(2)
const digest = key => hash('sha256', key)
const tokens = new Map([[digest(token), { organization: 'acme' }]])
const bodies = new Map(
  files.map(file => {
    const bytes = fs.readFileSync(file)
    const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
    const quality = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }
    return [`/${file.split('/').at(-1)}`, { etag: `W/"${id}"`, bytes, brotli: zlib.brotliCompressSync(bytes, quality) }]
  }),
)

const server = http.createServer((request, response) => {
  const { headers } = request
  const found = bodies.get(request.url)
  if (!tokens.has(digest(headers['x-api-key'] ?? '')) || found === undefined) {
    response.writeHead(found ? 401 : 404).end()
    return
  }
  const common = { 'cache-control': 'private, no-cache', vary: 'Cookie, X-API-Key, Accept-Encoding', etag: found.etag }
  if (headers['if-none-match'] === found.etag) {
    response.writeHead(304, common).end()
    return
  }
  const brotli = headers['accept-encoding']?.includes('br')
  const body = brotli ? found.brotli : found.bytes
  response.writeHead(200, {
    ...common,
    'content-type': 'application/json; charset=utf-8',
    ...(brotli && { 'content-encoding': 'br' }),
    'content-length': body.length,
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => process.exit(0))
