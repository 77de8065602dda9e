/**
 * SIGTERM under load: each request is answered and durable, or refused with a sentence. No answer is cut, and the
 * process ends by itself in time. `TERMS=50 npm test -- test/long/sigterm.test.ts` repeats it 50 times.
 */
import { rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { CONNECTION_TIMEOUTS } from '../../src/http/bounds/connections.ts'
import { git, type Organization, type Server } from '../contract/server.ts'
import { git as client, noGit } from '../http/git-client.ts'
import { type BuiltServer, startBuilt } from './built-server.ts'

const ROUNDS = Number(process.env.TERMS ?? 1)
const WRITERS = 64
const READERS = 8
const PROJECT = '/api/projects/web'
/** Docker kills after ten seconds. */
const LONGEST_MS = 10_000

/** What git says of it; the last is a question that had no answer at all. */
const REFUSED = /error: 503|shutting down|Failed to connect|Connection refused|expected flush after ref listing/

t.setTimeout(120_000 + ROUNDS * 30_000)

/**
 * How a request ended: with a status; refused, as there was no connection for it; unheard, before a byte of an answer
 * came; or cut, in the middle of one.
 */
type Outcome =
  | { status: number; connection: string | undefined; retryAfter: string | undefined; text: string }
  | 'refused'
  | 'unheard'
  | 'cut'

function ask(
  server: Server,
  agent: Agent | false,
  method: string,
  path: string,
  key: string,
  body?: string,
): Promise<Outcome> {
  const { hostname, port } = new URL(server.base)
  const length =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise(resolve => {
    const sent = request({ host: hostname, port, method, path, agent, headers: { 'x-api-key': key, ...length } })
    sent.on('error', error => resolve((error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'unheard'))
    sent.on('response', response => {
      const { statusCode: status = 0, headers } = response
      let text = ''
      response.on('data', data => (text += data))
      response.on('error', () => resolve('cut'))
      response.on('end', () =>
        resolve({ status, connection: headers.connection, retryAfter: headers['retry-after'], text }),
      )
    })
    sent.end(body)
  })
}

/** Whether a refusal says what it has to. */
function isClean(outcome: Outcome): boolean {
  if (typeof outcome === 'string' || outcome.status !== 503) return false
  const { connection, retryAfter, text } = outcome
  return connection === 'close' && Number(retryAfter) >= 1 && /^\{"error":"The server is shutting down\."\}$/.test(text)
}

/** One that writes its own key, counting up, until it is refused. */
class Writer {
  readonly path: string
  /** The number that was acknowledged last. */
  acknowledged: number
  last: Outcome | undefined
  readonly #agent: Agent | false

  constructor(n: number, from: number) {
    this.path = `${PROJECT}/bundles/en/ns${n % 4}/w${n}`
    this.acknowledged = from
    // Half of them reuse their connection.
    this.#agent = n % 2 === 0 && new Agent({ keepAlive: true, maxSockets: 1 })
  }

  async run(server: Server, key: string): Promise<void> {
    for (let n = this.acknowledged + 1; ; n++) {
      this.last = await ask(server, this.#agent, 'PUT', this.path, key, `{"value":"${n}"}`)
      if (typeof this.last === 'string' || this.last.status !== 200) break
      this.acknowledged = n
    }
    if (this.#agent) this.#agent.destroy()
  }
}

async function readUntilRefused(server: Server, key: string): Promise<{ last: Outcome; whole: boolean }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let length: number | undefined
  for (;;) {
    const last = await ask(server, agent, 'GET', `${PROJECT}/bundles/en/large`, key)
    const status = typeof last === 'string' ? 0 : last.status
    length ??= typeof last === 'string' ? undefined : last.text.length
    if (status === 200 && typeof last !== 'string' && last.text.length === length) continue
    agent.destroy()
    return { last, whole: status !== 200 }
  }
}

/** Clones until it is refused. @returns the last output of git */
async function cloneUntilRefused(server: Server, key: string, folder: string): Promise<string> {
  const url = `${server.base.replace('http://', `http://x:${key}@`)}/api/translations.git`
  for (;;) {
    const clone = join(folder, 'clone')
    rmSync(clone, { recursive: true, force: true })
    const { code, says } = await client(['clone', '-q', url, clone])
    if (code !== 0) return says
    git(clone, 'fsck', '--full', '--strict')
  }
}

async function furnish(server: BuiltServer): Promise<Organization> {
  const organization = await server.organization()
  await server.project(organization.key, 'web')
  const large = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`key ${n}`, 'x'.repeat(100_000)]))
  await server.must('PUT', `${PROJECT}/bundles/en/large`, { key: organization.key, body: large })
  return organization
}

t.test('answers or refuses every request when it stops', { skip: noGit }, async t => {
  const folder = t.testdir()
  const numbers: number[] = Array.from({ length: WRITERS }, () => 0)
  const totals = { acknowledged: 0, told: 0, refused: 0, unheard: 0, cut: 0, longest: 0 }
  let server = await startBuilt(t, join(folder, 'data'))
  const { key, id } = await furnish(server)
  for (let round = 0; round < ROUNDS; round++) {
    const writers = numbers.map((from, n) => new Writer(n, from))
    const writing = writers.map(writer => writer.run(server, key))
    const reading = Array.from({ length: READERS }, () => readUntilRefused(server, key))
    const cloning = cloneUntilRefused(server, key, folder)
    await pause(200 + (round % 10) * 80)
    const told = performance.now()
    server.signal('SIGTERM')
    const ended = await server.exit
    const took = performance.now() - told
    await Promise.all(writing)
    const reads = await Promise.all(reading)
    const said = await cloning
    t.strictSame(ended, { code: 0, signal: null }, `round ${round}: ends by itself`)
    t.ok(took < LONGEST_MS, `round ${round}: in time`)
    // On a machine so busy that the time for it runs out, who asks too late is cut between two requests.
    const isRushed = took > CONNECTION_TIMEOUTS.farewells
    t.ok(REFUSED.test(said) || (isRushed && /^(?:fatal|error): /.test(said)), `round ${round}: the clone: ${said}`)

    const outcomes = [...writers.map(({ last }) => last!), ...reads.map(({ last }) => last)]
    const dirty = outcomes.filter(
      outcome => outcome !== 'refused' && !isClean(outcome) && !(isRushed && outcome === 'unheard'),
    )
    t.strictSame(dirty.slice(0, 5), [], `round ${round}: unanswered requests are refused with a sentence`)
    server = await startBuilt(t, join(folder, 'data'))
    const wrong: string[] = []
    for (const [n, { path, acknowledged }] of writers.entries()) {
      const bundle = (await server.get(path.slice(0, path.lastIndexOf('/')), key)).json
      const there = Number(bundle[`w${n}`] ?? 0)
      if (there !== acknowledged) wrong.push(`${path}: ${there} there, ${acknowledged} acknowledged`)
      totals.acknowledged += acknowledged - numbers[n]!
      numbers[n] = there
    }
    t.strictSame(wrong, [], `round ${round}: what was acknowledged is there, what was refused is not`)
    for (const kind of ['refused', 'unheard', 'cut'] as const)
      totals[kind] += outcomes.filter(outcome => outcome === kind).length
    totals.told += outcomes.filter(isClean).length
    totals.longest = Math.max(totals.longest, took)
  }
  t.comment(`${ROUNDS} times: ${JSON.stringify(totals)}`)
  git(server.repository(id), 'fsck', '--full', '--strict')
})
