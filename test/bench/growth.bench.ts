/** Measures what a read and a small write cost the server as there is more of everything, beside the same where there is little; exits with 1 when a limit is missed. */
import { join } from 'node:path'
import { makeAged } from './aged.ts'
import { multiply, putAll } from './filled.ts'
import { alternate, cpuPerRequest, load, QUICK, type Running, request, scratch, UNIQUE } from './harness.ts'
import { COMMITS } from './hundred-thousand.ts'
import { callerWith, resourceOf, startParlance, startServer } from './parlance.ts'
import { compared, type Row, report } from './report.ts'

const BUNDLES = QUICK ? [10, 1_000] : [10, 1_000, 10_000]
const KEYS = QUICK ? [10, 10_000] : [10, 10_000, 100_000]
const ORGANIZATIONS = QUICK ? 100 : 1_000
const ROUNDS = 5
/** Of one measurement: many are made. */
const MS = 250
const WARM_MS = 500
/** How much dearer something may become that should not depend on how much there is. */
const FLAT = 1.5
/** In place of a limit, for what may grow as its size does. */
const LINEAR = 'linear'
type Limit = number | typeof LINEAR

const folder = scratch()
const rows: Row[] = []

/** Where a bundle is that is read and written, one key of it, and with what token. */
interface Place {
  running: Running
  key: string
  path: string
  name: string
}

async function tagOf({ running, key, path }: Place): Promise<string> {
  const answer = await callerWith(running, key)('GET', path)
  await answer.arrayBuffer()
  return answer.headers.get('etag')!
}

const put = ({ key, path, name }: Place) =>
  request(`${path}/${name}`, { 'x-api-key': key }, { method: 'PUT', body: `{"value":"Text ${UNIQUE}"}` })

/** Measures all places in the same rounds; every one after the first becomes rows against the first. */
async function grow(
  what: string,
  sizes: number[],
  places: Place[],
  { write = FLAT, whole = FLAT }: { write?: Limit; whole?: Limit } = {},
): Promise<void> {
  const tags = await Promise.all(places.map(tagOf))
  const options = { milliseconds: MS, connections: 16 }
  const ask = (place: Place, headers: Record<string, string>, status: number) => () =>
    cpuPerRequest(place.running, [request(place.path, { 'x-api-key': place.key, ...headers })], status, options)
  // What a server has not answered often costs several times what it costs later.
  for (const [at, { running, path, key }] of places.entries()) {
    const headers = { 'x-api-key': key }
    const reads = [request(path, headers), request(path, { ...headers, 'if-none-match': tags[at]! })]
    await load(running.url, reads, { milliseconds: WARM_MS, connections: 16 })
  }
  // Writes come last: they change what is read.
  const measured = [
    await alternate(
      places.map((place, at) => ask(place, { 'if-none-match': tags[at]! }, 304)),
      ROUNDS,
    ),
    await alternate(
      places.map(place => ask(place, {}, 200)),
      ROUNDS,
    ),
    await alternate(
      places.map(place => () => cpuPerRequest(place.running, [put(place)], 200, options)),
      ROUNDS,
    ),
  ]
  const limits: Limit[] = [FLAT, whole, write]
  for (const [kind, name] of ['304', '200', 'PUT key'].entries()) {
    const linear = limits[kind] === LINEAR
    for (let at = 1; at < sizes.length; at++) {
      // What may grow with the size is looked at by the piece, beside the size before: with ten times as much, ten times as dear is the same.
      const beside = linear ? at - 1 : 0
      const [small, large] = [sizes[beside]!, sizes[at]!]
      const ours = measured[kind]![at]!.map(value => (linear ? (value * small) / large : value))
      const title = `${name}, ${large} ${what} / ${small}${linear ? `, linear: for ${small} of them` : ''}`
      rows.push(compared(title, ours, measured[kind]![beside]!, { unit: 'us', limit: FLAT, atMost: true }))
    }
  }
}

const dataDir = join(folder, 'data')
const made = await startParlance(dataDir)
for (const size of BUNDLES)
  await made.call('POST', '/api/projects', { name: `With ${size}`, slug: `p${size}`, sourceLanguage: 'en' })
await made.running.stop()
const files = BUNDLES.flatMap(size => {
  const languages = Math.ceil(Math.sqrt(size))
  return Array.from({ length: size }, (_, at) => ({
    path: `p${size}/locales/de-x-v${at % languages}/n${at}.json`,
    bytes: Buffer.from(`${JSON.stringify(resourceOf(5, at), null, 2)}\n`),
  }))
})
await putAll(dataDir, made.organization, files)

const running = await startServer(dataDir, { env: { NAMESPACE_BODY_LIMIT: '32MiB' } })
const { key } = made
const call = callerWith(running, key)
const name = 'section0.item1001'
const inProject = BUNDLES.map(size => ({ running, key, path: `/api/projects/p${size}/bundles/de-x-v0/n0`, name }))
await grow('bundles', BUNDLES, inProject)

for (const size of KEYS) await call('PUT', `/api/projects/web/bundles/en/keys${size}`, resourceOf(size)).then(drained)
const inBundle = KEYS.map(size => ({ running, key, path: `/api/projects/web/bundles/en/keys${size}`, name }))
// The whole file is sent, and it is written anew as a whole.
await grow('keys', KEYS, inBundle, { whole: LINEAR, write: LINEAR })
await running.stop()

const alone = await withOrganizations(1)
const among = await withOrganizations(ORGANIZATIONS)
await grow('organizations', [1, ORGANIZATIONS], [alone, among])
await Promise.all([alone.running.stop(), among.running.stop()])

const young = await startAged(2_000)
const old = await startAged(COMMITS)
await grow('commits', [2_000, COMMITS], [young, old])
await Promise.all([young.running.stop(), old.running.stop()])

process.exitCode = report(
  'growth',
  'Processor time of a read and of a write of one key as there is more of everything.',
  rows,
)

async function drained(answer: Response): Promise<void> {
  await answer.arrayBuffer()
}

/** A server with so many organizations, each with a project. */
async function withOrganizations(count: number): Promise<Place> {
  const dataDir = join(folder, `organizations-${count}`)
  const { running, key, call } = await startParlance(dataDir)
  const path = '/api/projects/web/bundles/en/common'
  await call('PUT', path, resourceOf(225))
  await running.stop()
  multiply(dataDir, count)
  return { running: await startServer(dataDir), key, path, name }
}

/** A server on an organization with so many commits. */
async function startAged(commits: number): Promise<Place> {
  const { dataDir, key, path, name } = await makeAged(join(folder, `commits-${commits}`), commits)
  const place = { running: await startServer(dataDir), key, path, name }
  await tagOf(place)
  return place
}
