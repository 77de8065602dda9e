/** Measures what a read costs the server beside the least that Node can do, and beside what teams build themselves; exits with 1 when a limit is missed. */
import fs from 'node:fs'
import { join } from 'node:path'
import { alternate, cpuPerRequest, median, Running, request, scratch } from './harness.ts'
import { resourceOf, startParlance } from './parlance.ts'
import { type Row, report } from './report.ts'

const SIZES = { twenty: 225, 'two-hundred': 2250 }

const folder = scratch()
const parlance = await startParlance(join(folder, 'data'))
const locales = join(folder, 'locales')
fs.mkdirSync(join(locales, 'en'), { recursive: true })
const tags: Record<string, string> = {}
for (const [name, keys] of Object.entries(SIZES)) {
  const path = `/api/projects/web/bundles/en/${name}`
  await parlance.call('PUT', path, resourceOf(keys))
  const answer = await parlance.call('GET', path)
  tags[name] = answer.headers.get('etag')!
  fs.writeFileSync(join(locales, 'en', `${name}.json`), Buffer.from(await answer.arrayBuffer()))
}
for (const path of ['/api/projects/web/bundles/en', '/api/projects/web', '/api/projects']) {
  tags[path] = (await parlance.call('GET', path)).headers.get('etag')!
}
const references = join(import.meta.dirname, 'references')
const files = Object.keys(SIZES).map(name => join(locales, 'en', `${name}.json`))
const raw = await Running.start([process.execPath, join(references, 'raw-http.mjs'), parlance.key, ...files])
const diy = await Running.start([process.execPath, join(references, 'do-it-yourself.mjs'), locales])

const token = { 'x-api-key': parlance.key }
const brotli = { ...token, 'accept-encoding': 'gzip, deflate, br' }
const known = (tag: string) => ({ ...token, 'if-none-match': tag })
const bundle = (name: string) => `/api/projects/web/bundles/en/${name}`
const file = (name: string) => `/${name}.json`

type Case = [name: string, ours: string, other: [Running, string], limit: number, status: number]
const ofRaw = (
  name: string,
  path: string,
  rawPath: string,
  headers: Record<string, string>,
  limit: number,
  status = 200,
): Case => [name, request(path, headers), [raw, request(rawPath, headers)], limit, status]
const cases: Case[] = [
  ofRaw('namespace, 304 / node:http', bundle('twenty'), file('twenty'), known(tags.twenty!), 0.8, 304),
  ofRaw('namespace, 20 KB / node:http', bundle('twenty'), file('twenty'), token, 0.85),
  ofRaw('namespace, 20 KB brotli / node:http', bundle('twenty'), file('twenty'), brotli, 0.85),
  ofRaw('namespace, 200 KB / node:http', bundle('two-hundred'), file('two-hundred'), token, 0.85),
  ofRaw('namespace, 200 KB brotli / node:http', bundle('two-hundred'), file('two-hundred'), brotli, 0.85),
  ...['/api/projects/web/bundles/en', '/api/projects/web', '/api/projects'].map(
    (path): Case => [
      `${path.replace('/api', '')}, 304 / node:http`,
      request(path, known(tags[path]!)),
      [raw, request(file('twenty'), known(tags.twenty!))],
      0.8,
      304,
    ],
  ),
  ...(['twenty', 'two-hundred'] as const).map(
    (name): Case => [
      `namespace, ${name === 'twenty' ? 20 : 200} KB / do it yourself`,
      request(bundle(name), token),
      [diy, request(`/locales?lng=en&ns=${name}`)],
      name === 'twenty' ? 2.5 : 15,
      200,
    ],
  ),
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
