import { Writable } from 'node:stream'
import Fastify, { LogController } from 'fastify'
import t from 'tap'
import { logRequests } from '../../src/http/access-log.ts'

/** Asks an app that logs by `which` for a read, a write and something that is not there; returns the lines. */
async function linesOf(which: Parameters<typeof logRequests>[0]) {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const app = Fastify({
    logger: { level: 'info', stream },
    logController: new LogController({ disableRequestLogging: true }),
  })
  app.decorateRequest('caller', null)
  app.addHook('onResponse', logRequests(which))
  app.get('/read/:key', () => 'x')
  app.put('/write/:key', () => 'x')
  const headers = { 'x-api-key': 'swordfish', cookie: 'swordfish' }
  await app.inject({ method: 'GET', url: '/read/swordfish?q=swordfish', headers })
  await app.inject({ method: 'PUT', url: '/write/swordfish', headers, payload: { a: 'swordfish' } })
  await app.inject({ method: 'GET', url: '/swordfish', headers })
  t.notMatch(JSON.stringify(lines), /swordfish/, 'neither keys nor credentials nor bodies')
  return lines.map(({ method, route, status }) => `${method} ${route} ${status}`)
}

t.test('which requests get a line, and what stands in it', async t => {
  const [read, write, failure] = ['GET /read/:key 200', 'PUT /write/:key 200', 'GET null 404']
  t.strictSame(await linesOf('all'), [read, write, failure])
  t.strictSame(await linesOf('writes'), [write, failure])
  t.strictSame(await linesOf('failures'), [failure])
  t.strictSame(await linesOf('none'), [])
})
