/** Measures what a read costs the server beside the least that Node can do, and beside what teams build themselves; exits with 1 when a limit is missed. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { alternate, cpuPerRequest, median, Running, request, scratch } from './harness.ts'
import { resourceOf, startParlance } from './parlance.ts'
import { type Row, report } from './report.ts'

const SIZES = { twenty: 225, 'two-hundred': 2250 }

const LISTS = ['/api/projects/web/bundles/en', '/api/projects/web', '/api/projects']
/** Of every answer its own; the rest is the same in all, and node:http has to write it too. */
const OWN = ['date', 'connection', 'keep-alive', 'etag', 'content-type', 'content-length', 'content-encoding']

/** One thing to read: where it is here and there, and the tags that it has. */
interface Thing {
  path: string
  tag: string
  rawPath: string
  rawTag: string
  bytes: Buffer
}

const folder = scratch()
const parlance = await startParlance(join(folder, 'data'))
const locales = join(folder, 'locales')
fs.mkdirSync(join(locales, 'en'), { recursive: true })
let common: Record<string, string> = {}

async function thing(path: string, name: string): Promise<Thing> {
  const answer = await parlance.call('GET', path)
  common = Object.fromEntries([...answer.headers].filter(([header]) => !OWN.includes(header)))
  const bytes = Buffer.from(await answer.arrayBuffer())
  fs.writeFileSync(join(locales, 'en', name), bytes)
  const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  return { path, tag: answer.headers.get('etag')!, rawPath: `/${name}`, rawTag: `W/"${id}"`, bytes }
}

const bundles: Record<string, Thing> = {}
for (const [name, keys] of Object.entries(SIZES)) {
  const path = `/api/projects/web/bundles/en/${name}`
  await parlance.call('PUT', path, resourceOf(keys))
  bundles[name] = await thing(path, `${name}.json`)
}
const { twenty, 'two-hundred': twoHundred } = bundles as Record<keyof typeof SIZES, Thing>
const lists: Thing[] = []
for (const path of LISTS) lists.push(await thing(path, `list${lists.length}.json`))

const references = join(import.meta.dirname, 'references')
const files = [...Object.values(bundles), ...lists].map(({ rawPath }) => join(locales, 'en', rawPath))
const rawArguments = [join(references, 'raw-http.mjs'), parlance.key, JSON.stringify(common), ...files]
const raw = await Running.start([process.execPath, ...rawArguments])
const diy = await Running.start([process.execPath, join(references, 'do-it-yourself.mjs'), locales])

const token = { 'x-api-key': parlance.key }
const brotli = { ...token, 'accept-encoding': 'gzip, deflate, br' }
for (const { path, rawPath, bytes } of [...Object.values(bundles), ...lists]) {
  for (const url of [new URL(path, parlance.running.url), new URL(rawPath, raw.url)]) {
    const answer = Buffer.from(await (await fetch(url, { headers: token })).arrayBuffer())
    if (!answer.equals(bytes)) throw new Error(`${url} answered something else`)
  }
}

type Case = [name: string, ours: string, other: [Running, string], limit: number, status: number]
const whole = (name: string, { path, rawPath }: Thing, headers: Record<string, string> = token): Case => [
  `${name} / node:http`,
  request(path, headers),
  [raw, request(rawPath, headers)],
  0.85,
  200,
]
const unchanged = (name: string, { path, tag, rawPath, rawTag }: Thing): Case => [
  `${name}, 304 / node:http`,
  request(path, { ...token, 'if-none-match': tag }),
  [raw, request(rawPath, { ...token, 'if-none-match': rawTag })],
  0.8,
  304,
]
const doItYourself = (name: string, { path }: Thing, namespace: string, limit: number): Case => [
  `${name} / do it yourself`,
  request(path, token),
  [diy, request(`/locales?lng=en&ns=${namespace}`)],
  limit,
  200,
]
const cases: Case[] = [
  unchanged('namespace', twenty),
  whole('namespace, 20 KB', twenty),
  whole('namespace, 20 KB brotli', twenty, brotli),
  whole('namespace, 200 KB', twoHundred),
  whole('namespace, 200 KB brotli', twoHundred, brotli),
  ...['language', 'manifest', 'projects'].flatMap((name, at) => [unchanged(name, lists[at]!), whole(name, lists[at]!)]),
  doItYourself('namespace, 20 KB', twenty, 'twenty', 2.5),
  doItYourself('namespace, 200 KB', twoHundred, 'two-hundred', 15),
]

const results = await alternate(
  cases.flatMap(([, ours, [server, theirs], , status]) => [
    () => cpuPerRequest(parlance.running, [ours], status),
    () => cpuPerRequest(server, [theirs], status),
  ]),
)
const rows = cases.map(([name, , , limit], index): Row => {
  const [ours = [], theirs = []] = results.slice(index * 2, index * 2 + 2)
  const ratios = ours.map((value, round) => theirs[round]! / value)
  return { name, ours: median(ours), other: median(theirs), unit: 'us', ratio: median(ratios), ratios, limit }
})
await Promise.all([parlance.running, raw, diy].map(server => server.stop()))
process.exitCode = report(
  'reads',
  'Processor time per read; the ratio is how many of ours fit into one of theirs.',
  rows,
)
