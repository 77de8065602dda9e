/**
 * The limit for a read in Node: node:http that hashes the token, looks it up in a Map, and answers from memory. Its
 * arguments are the token, the headers that every answer carries, as JSON, and the files of the bodies.
 */
import { createHash, hash } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import zlib from 'node:zlib'

const [token, headers, ...files] = process.argv.slice(2)
const digest = key => hash('sha256', key, 'base64url')
const tokens = new Map([[digest(token), { organization: 'acme' }]])
const common = Object.entries(JSON.parse(headers)).flat()
const quality = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Headers as a list, which is what node:http writes fastest. */
function answersOf(file) {
  const bytes = fs.readFileSync(file)
  const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  const etag = `W/"${id}"`
  const brotli = zlib.brotliCompressSync(bytes, quality)
  const named = [...common, 'etag', etag]
  const whole = [...named, 'content-type', 'application/json; charset=utf-8']
  return {
    etag,
    unchanged: named,
    plain: { bytes, headers: [...whole, 'content-length', String(bytes.length)] },
    coded: { bytes: brotli, headers: [...whole, 'content-encoding', 'br', 'content-length', String(brotli.length)] },
  }
}
const answers = new Map(files.map(file => [`/${file.split('/').at(-1)}`, answersOf(file)]))

const server = http.createServer((request, response) => {
  const { headers } = request
  const found = answers.get(request.url)
  if (!tokens.has(digest(headers['x-api-key'] ?? '')) || found === undefined) {
    response.writeHead(found ? 401 : 404).end()
    return
  }
  if (headers['if-none-match'] === found.etag) {
    response.writeHead(304, found.unchanged).end()
    return
  }
  const body = headers['accept-encoding']?.includes('br') ? found.coded : found.plain
  response.writeHead(200, body.headers).end(body.bytes)
})
server.keepAliveTimeout = 72_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => process.exit(0))
