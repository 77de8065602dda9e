/**
 * Live events under load, kills and slow readers: what each client hears is what git has, in its order, each once.
 * `KILLS=20 npm run test:long -- test/long/events.test.ts` kills more often.
 */
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { kill, start } from '../contract/process.ts'
import { eventually, git, type Organization, type Server } from '../contract/server.ts'
import { freePort } from '../free-port.ts'
import { EventClient } from '../http/event-client.ts'
import { noGit } from '../http/git-client.ts'
import { openScene } from '../http/server.ts'
import { random } from '../random.ts'
import { startBuilt } from './built-server.ts'

if (noGit) {
  t.plan(0, noGit)
  process.exit(0)
}

const KILLS = Number(process.env.KILLS ?? 3)
const CLIENTS = 50
const WRITERS = 64
const PROJECTS = ['web', 'app']
const NONE = '0'.repeat(40)

t.setTimeout(300_000 + KILLS * 30_000)

/** The revisions of the main line that changed what is below a path, oldest first. */
const logged = (folder: string, ...paths: string[]): string[] =>
  git(folder, 'log', '--first-parent', '--reverse', '--format=%H', 'main', '--', ...paths)
    .split('\n')
    .filter(Boolean)

/** One that comes back with its last id whenever its stream ends, and goes now and then by itself. */
class Listener {
  readonly ids: string[] = []
  readonly odd: string[] = []
  streams = 0
  /** What it would send as its last id. */
  last = ''
  readonly slug: string | undefined
  readonly #base: string
  readonly #key: string
  readonly #byHeader: boolean
  #isOver = false

  constructor(base: string, key: string, n: number) {
    this.#base = base
    this.#key = key
    this.slug = n % 2 === 0 ? undefined : PROJECTS[(n >> 1) % PROJECTS.length]
    this.#byHeader = n % 3 !== 0
  }

  async listen(): Promise<void> {
    const path = this.slug === undefined ? '/api/events' : `/api/projects/${this.slug}/events`
    while (!this.#isOver) {
      const header: Record<string, string> = this.#byHeader && this.last ? { 'last-event-id': this.last } : {}
      const query = !this.#byHeader && this.last ? `?since=${this.last}` : ''
      const client = new EventClient(this.#base, path + query, { 'x-api-key': this.#key, ...header })
      this.streams++
      const until = performance.now() + 50 + random() * 3_000
      while (client.ended === undefined && !this.#isOver && performance.now() < until) await pause(20)
      client.close()
      for (const { id, event, data } of client.events) {
        if (event !== 'change' || data.revision !== id) this.odd.push(`${event} ${id}`)
        this.ids.push(id)
      }
      // A busy server still counts the streams that were left a moment ago.
      const isEarly = client.status === 0 || client.status === 429
      if (!isEarly && client.status !== 200) this.odd.push(`${client.status} ${client.text}`)
      this.last = client.lastId || this.last
      if (isEarly) await pause(100)
    }
  }

  stop(): void {
    this.#isOver = true
  }
}

/** Writes an own key repeatedly, even without answers, and calls `told` after each answered write. */
async function writing(base: string, key: string, n: number, told: () => void, isOver: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const path = `/api/projects/${PROJECTS[n % PROJECTS.length]}/bundles/en/ns${n % 5}/w${n}`
  for (let version = 1; !isOver(); version++) {
    const body = JSON.stringify({ value: `v${version}` })
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': body.length }
    const answered = await new Promise<boolean>(resolve => {
      const sent = request(`${base}${path}`, { method: 'PUT', headers, agent }, response => {
        response.resume().on('close', () => resolve(response.complete))
      })
      sent.on('error', () => resolve(false)).end(body)
    })
    if (answered) told()
    await pause(answered ? 80 : 100)
  }
  agent.destroy()
}

t.test(
  `sends each commit once and in order to ${CLIENTS} clients, with ${WRITERS} writers and ${KILLS} kills`,
  async t => {
    const dataDir = join(t.testdir(), 'data')
    const port = await freePort()
    const env = { PORT: String(port), MAX_CONNECTIONS: '2000' }
    let run = await start(t, dataDir, env)
    const { base } = run.server
    const acme = await run.server.organization('Ann')
    for (const slug of PROJECTS) await run.server.project(acme.key, slug)
    const listeners = Array.from({ length: CLIENTS }, (_, n) => new Listener(base, acme.key, n))
    const listening = listeners.map(listener => listener.listen())
    // A client that connects after the last write receives no event.
    t.ok(await eventually(() => listeners.every(({ last }) => last !== '')), 'all clients are connected')
    let isOver = false
    let answered = 0
    const told = () => answered++
    const writers = Array.from({ length: WRITERS }, (_, n) => writing(base, acme.key, n, told, () => isOver))
    /** For so long, and for as many writes as a machine does meanwhile that is slow. */
    const goOn = async (milliseconds: number) => {
      const enough = answered + 50
      await pause(milliseconds)
      await eventually(() => answered >= enough)
    }
    for (let n = 0; n < KILLS; n++) {
      await goOn(1_500 + random() * 1_500)
      await kill(run)
      run = await start(t, dataDir, env)
    }
    await goOn(1_500)
    isOver = true
    await Promise.all(writers)
    const folder = run.server.repository(acme.id)
    await run.server.get(`/api/projects/web/history?limit=1`, acme.key)
    const all = logged(folder)
    const wanted = new Map(
      [undefined, ...PROJECTS].map(slug => [slug, slug === undefined ? all : logged(folder, slug)]),
    )
    const isThere = ({ slug, last }: Listener) => all.indexOf(last) >= all.indexOf(wanted.get(slug)!.at(-1)!)
    t.ok(await eventually(() => listeners.every(isThere)), 'every client reaches the last commit')
    for (const listener of listeners) listener.stop()
    await Promise.all(listening)
    t.ok(all.length > 200, `${all.length} commits`)
    const streams = listeners.reduce((sum, listener) => sum + listener.streams, 0)
    t.ok(streams > CLIENTS * (KILLS + 1), `${streams} streams`)
    for (const [n, { slug, ids, odd }] of listeners.entries()) {
      const line = wanted.get(slug)!
      t.strictSame(odd, [], `client ${n}: changes alone`)
      t.equal(ids.at(-1), line.at(-1), `client ${n}: up to the last`)
      t.strictSame(ids, line.slice(line.indexOf(ids[0]!)), `client ${n}: each once, in the order of git log`)
    }
    const late = new EventClient(base, `/api/events?since=${NONE}`, { 'x-api-key': acme.key })
    await eventually(() => late.ids.length >= all.length)
    late.close()
    t.strictSame(late.ids, all, 'from the first commit on')
    await run.server.close()
  },
)

const PERSON = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com']

t.test('sends commits of people from while it was stopped, and a reset after a rewritten history', async t => {
  const dataDir = join(t.testdir(), 'data')
  const env = { PORT: String(await freePort()) }
  let { server } = await start(t, dataDir, env)
  const acme = await server.organization('Ann')
  for (const slug of PROJECTS) {
    await server.project(acme.key, slug)
    await server.put(`/api/projects/${slug}/bundles/en/common`, acme.key, { a: 'one' })
  }
  const folder = server.repository(acme.id)
  const headers = { 'x-api-key': acme.key }
  const since = async () => {
    const client = new EventClient(server.base, '/api/events', headers)
    await client.opened()
    client.close()
    return client.lastId
  }
  const before = await since()
  await server.close()
  const bob = (...argv: string[]) => git(folder, ...PERSON, ...argv)
  for (const slug of PROJECTS) {
    bob('mv', `${slug}/locales/en/common.json`, `${slug}/locales/en/moved.json`)
  }
  bob('commit', '-qm', 'two projects\n\nand why')
  bob('commit', '-q', '--allow-empty', '-m', 'nothing')
  ;({ server } = await start(t, dataDir, env))
  const client = new EventClient(server.base, `/api/events?since=${before}`, headers)
  const web = new EventClient(server.base, `/api/projects/web/events?since=${before}`, headers)
  const [both, empty] = await client.reaches(2)
  t.match(both!.data, { project: null, subject: 'two projects', author: { name: 'Bob', email: 'bob@example.com' } })
  t.match(both!.data.bundles, [
    { project: 'app', language: 'en', namespace: 'common', etag: null },
    { project: 'app', language: 'en', namespace: 'moved' },
    { project: 'web', language: 'en', namespace: 'common', etag: null },
    { project: 'web', language: 'en', namespace: 'moved' },
  ])
  t.match(empty!.data, { project: null, subject: 'nothing', bundles: [] })
  const [own] = await web.reaches(1)
  t.equal(own!.data.project, 'web')
  t.strictSame(
    own!.data.bundles.map((bundle: object) => Object.keys(bundle)),
    [
      ['language', 'namespace', 'etag'],
      ['language', 'namespace', 'etag'],
    ],
  )
  t.strictSame(client.ids, logged(folder).slice(-2))
  const lost = await since()
  await server.close()
  t.equal(client.ended, 'whole', 'a stop ends streams in good order')
  bob('reset', '-q', '--hard', before)
  bob('commit', '-q', '--allow-empty', '-m', 'otherwise')
  ;({ server } = await start(t, dataDir, env))
  const again = new EventClient(server.base, `/api/events?since=${lost}`, headers)
  const [reset] = await again.reaches(1)
  t.strictSame(reset, { id: logged(folder).at(-1), event: 'reset', data: { revision: logged(folder).at(-1) } })
  again.close()
  await server.close()
})

/** Writes commits with large events: each changes all bundles of a project. */
async function largeEvents(server: Server, { key }: Organization, count: number, isOver: () => boolean) {
  for (let n = 0; n < count && !isOver(); n++) {
    const defaultFormat = n % 2 === 0 ? 'i18next-json-flat' : 'i18next-json'
    await server.must('PATCH', '/api/projects/web', { key, body: { defaultFormat } })
  }
}

t.test('ends the stream of a slow reader, which resumes, and serves the others', async t => {
  const { server, acme, reader } = await openScene(t, { EVENT_STREAM_BUFFER: '64KiB' })
  await server.project(acme.key, 'web')
  // Long names give large events, so fewer of them fill the buffers in between.
  const names = Array.from({ length: 200 }, (_, n) => `namespace-${n}-${'x'.repeat(80)}`)
  const bundles = { en: Object.fromEntries(names.map(name => [name, { a: { b: 'x' } }])) }
  await server.must('POST', '/api/projects/web/push', { key: acme.key, body: { bundles } })
  const listen = (t: Test, path: string) => {
    const client = new EventClient(server.base, path, { 'x-api-key': reader })
    t.teardown(() => client.close())
    return client.opened()
  }
  const [slow, quick] = [await listen(t, '/api/events'), await listen(t, '/api/projects/web/events')]
  slow.response!.pause()
  const ended = async () => /ended_total\{reason="slow"\} 1/.test((await server.get('/metrics')).text)
  let isOver = false
  const watching = eventually(async () => (isOver = await ended()))
  await largeEvents(server, acme, 2_000, () => isOver)
  t.ok(await watching, 'it is ended')
  t.equal(quick.ended, undefined)
  slow.response!.resume()
  await eventually(() => slow.ended !== undefined)
  t.equal(slow.ended, 'broken')
  const since = await listen(t, `/api/events?since=${slow.lastId}`)
  await server.get('/api/projects/web/history?limit=1', acme.key)
  const all = logged(server.repository(acme.id))
  await eventually(() => since.lastId === all.at(-1) && quick.lastId === all.at(-1))
  t.strictSame([...slow.ids, ...since.ids], quick.ids, 'what it has and what it gets then are all')
  t.strictSame(quick.ids, all.slice(-quick.ids.length))
})

t.test('refuses 10,000 streams beyond the limit without growth', async t => {
  const bound = 200
  const env = { EVENT_STREAMS: String(bound), EVENT_STREAMS_PER_CREDENTIAL: String(bound) }
  const server = await startBuilt(t, join(t.testdir(), 'data'), env)
  const acme = await server.organization('Ann')
  await server.project(acme.key, 'web')
  const headers = { 'x-api-key': acme.key }
  const clients = Array.from({ length: bound }, () => new EventClient(server.base, '/api/events', headers))
  t.teardown(() => clients.forEach(client => void client.close()))
  t.ok(await eventually(() => clients.every(({ lastId }) => lastId !== '')), `${bound} are open`)
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  const refused = () =>
    new Promise<boolean>(resolve => {
      const sent = request(`${server.base}/api/events`, { headers, agent }, response => {
        response.resume().on('close', () => resolve(response.statusCode === 429))
      })
      sent.on('error', () => resolve(false)).end()
    })
  const attempts = async (count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, refused))
    return answers.filter(Boolean).length
  }
  t.equal(await attempts(1_000), 1_000)
  const before = await server.live()
  for (let n = 0; n < 10; n++) t.equal(await attempts(1_000), 1_000, 'each stream is refused')
  const after = await server.live()
  t.ok(after - before < 2 * 2 ** 20, `nothing of them is held: ${((after - before) / 1024).toFixed()} KiB`)
  await server.put('/api/projects/web/bundles/en/common', acme.key, { a: 'x' })
  t.ok(await eventually(() => clients.every(({ ids }) => ids.length === 1)), 'open streams still receive events')
  agent.destroy()
  for (const client of clients.slice(0, 100)) client.close()
  const again = Array.from({ length: 100 }, () => new EventClient(server.base, '/api/events', headers))
  t.teardown(() => again.forEach(client => void client.close()))
  t.ok(await eventually(() => again.every(({ status }) => status !== 0)))
  t.ok(
    again.some(({ status }) => status === 200),
    'closed streams free their places',
  )
})
