import Fastify, { LogController } from 'fastify'
import t from 'tap'
import { logRequests } from '../../../src/http/requests/access-log.ts'
import { Background } from '../../../src/scheduling/background.ts'
import { openScene } from '../server.ts'

/** An app that logs only by the hook under test. */
function appOf(stream: { write(line: string): void }) {
  const logController = new LogController({ disableRequestLogging: true })
  const app = Fastify({ logger: { level: 'info', stream }, logController })
  app.decorateRequest('caller', null)
  return app
}

/** Sends a read, a write and a request for an unknown path to an app that logs by `which`. @returns the lines */
async function linesOf(which: Parameters<typeof logRequests>[0]) {
  const lines: Record<string, unknown>[] = []
  const app = appOf({ write: line => void lines.push(JSON.parse(line)) })
  app.addHook('onResponse', logRequests(which, new Background(app.log)))
  app.get('/read/:key', () => 'x')
  app.put('/write/:key', () => 'x')
  const headers = { 'x-api-key': 'swordfish', cookie: 'swordfish' }
  await app.inject({ method: 'GET', url: '/read/swordfish?q=swordfish', headers })
  await app.inject({ method: 'PUT', url: '/write/swordfish', headers, payload: { a: 'swordfish' } })
  await app.inject({ method: 'GET', url: '/swordfish', headers })
  t.notMatch(JSON.stringify(lines), /swordfish/, 'neither keys nor credentials nor bodies')
  return lines.map(({ method, route, status }) => `${method} ${route} ${status}`)
}

t.test('logs the requests that LOG_REQUESTS selects, without secrets', async t => {
  const [read, write, failure] = ['GET /read/:key 200', 'PUT /write/:key 200', 'GET null 404']
  t.strictSame(await linesOf('all'), [read, write, failure])
  t.strictSame(await linesOf('writes'), [write, failure])
  t.strictSame(await linesOf('failures'), [failure])
  t.strictSame(await linesOf('none'), [])
})

t.test('logs status, caller and route of a refusal', async t => {
  const lines: Record<string, unknown>[] = []
  const log = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { server, acme, reader } = await openScene(t, { LOG_LEVEL: 'info' }, { log })
  const web = await server.project(acme.key, 'web')
  const refused = async (method: string, path: string, sending: object) => {
    const { status, json } = await server.call(method, path, sending)
    const line = lines.findLast(({ msg }) => msg === 'request')!
    t.match(line, { method, status, error: json.error }, `${method} ${path}: ${json.error}`)
    return line
  }
  const secret = 'a text that no log may contain {n, plural, one {x} other {y}}'
  const unfit = await refused('PUT', `${web}/bundles/de/common`, { key: acme.key, body: { a: secret } })
  t.match(unfit, { status: 422, organization: acme.id, project: 'web', bundle: 'de/common', token: 'ci' })
  const forbidden = await refused('PUT', `${web}/bundles/de/common/a`, { key: reader, body: { value: 'x' } })
  t.match(forbidden, { status: 403, token: 'reader', bundle: 'de/common' })
  await refused('GET', '/nowhere', {})
  await refused('GET', `${web}/history?limit=0`, { as: acme.owner })
  const password = 'not the one that it is'
  await refused('POST', '/api/auth/sign-in/email', { body: { email: acme.owner.user.email, password } })
  await refused('GET', '/api/projects', { key: 'prl_unknown' })
  const all = JSON.stringify(lines)
  for (const text of [secret, password, acme.key, reader, 'prl_unknown', acme.owner.cookie]) t.notOk(all.includes(text))
  t.ok(lines.filter(({ status }) => Number(status) < 400).every(line => !('error' in line) && !('token' in line)))

  const scraped = (await server.get('/metrics')).text
  for (const reason of ['unfit', 'forbidden', 'not-found', 'invalid', 'unauthenticated']) {
    t.match(scraped, new RegExp(`^parlance_http_refusals_total\\{reason="${reason}"\\} [1-9]`, 'm'))
  }
})

t.test('logs a retryable answer without an error', async t => {
  const lines: Record<string, unknown>[] = []
  const app = appOf({ write: line => void lines.push(JSON.parse(line)) })
  app.addHook('onResponse', logRequests('writes', new Background(app.log)))
  app.put('/soon', (_request, reply) => reply.code(503).header('retry-after', '2').send())
  app.put('/broken', (_request, reply) => reply.code(503).send())
  for (const url of ['/soon', '/broken']) await app.inject({ method: 'PUT', url })
  const [info, error] = [30, 50]
  t.match(lines, [
    { route: '/soon', level: info },
    { route: '/broken', level: error },
  ])
})

t.test('logs a few of many equal refusals, and the number of the others', async t => {
  const lines: Record<string, unknown>[] = []
  const app = appOf({ write: line => void lines.push(JSON.parse(line)) })
  let tell = () => {}
  const background = new Background(app.log)
  const task = background.task.bind(background)
  background.task = work => {
    tell = () => work.run(new AbortController().signal)
    return task(work)
  }
  t.teardown(() => background.close())
  app.decorateRequest('refusal', null)
  app.addHook('onResponse', logRequests('writes', background))
  app.get('/a/:key', (_request, reply) => reply.code(401).send())
  app.get('/b', (_request, reply) => reply.code(404).send())
  app.put('/b', () => 'written')
  for (let n = 0; n < 1000; n++) {
    await app.inject({ url: `/a/${n}` })
    await app.inject({ method: 'PUT', url: '/b' })
  }
  await app.inject({ url: '/b' })
  const of = (route: string, status: number) => lines.filter(line => line.route === route && line.status === status)
  t.equal(of('/a/:key', 401).length, 60)
  t.equal(of('/b', 404).length, 1)
  t.equal(of('/b', 200).length, 1000, 'successful writes are always logged')
  tell()
  t.match(lines.at(-1), { route: '/a/:key', status: 401, leftOut: 940 })
  await app.inject({ url: '/a/again' })
  t.equal(of('/a/:key', 401).length, 62, 'the count starts again')
  for (let n = 0; n < 2000; n++) await app.inject({ method: 'GET', url: `/unknown/${n}` })
  t.ok(lines.length < 1200, 'equal refusals of different paths are grouped')
})
