/**
 * Measures acknowledged writes over HTTP beside the store alone on the same processor; exits with 1 when a limit is
 * missed.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { bundled } from '../bundled.ts'
import { alternate, load, onServerCore, ROUND_MS, request, scratch, UNIQUE } from './harness.ts'
import { callerWith, resourceOf, startParlance } from './parlance.ts'
import { compared, type Row, report } from './report.ts'

const ORGANIZATIONS = 64

const folder = scratch()
const parlance = await startParlance(join(folder, 'data'))
await parlance.call('PUT', '/api/projects/web/bundles/en/n0', resourceOf(225))
const tokens = [parlance.key]
for (let at = 1; at < ORGANIZATIONS; at++) {
  const { key } = await parlance.founder.found(`org${at}`)
  const call = callerWith(parlance.running, key)
  await call('POST', '/api/projects', { name: 'Web', slug: 'web', sourceLanguage: 'en' })
  await call('PUT', '/api/projects/web/bundles/en/n0', resourceOf(225))
  tokens.push(key)
}

// Each text of a source is looked for in its translations.
const LANGUAGES = 'ar,bg,cs,da,de,el,es,et,fi,fr,he,hr,hu,it,ja,ko,lt,lv,nl,pl,pt,ro,ru,sk,sl,sv,tr,uk,zh'.split(',')
for (const [slug, languages] of [['told', ['en', ...LANGUAGES]] as const, ['lone', ['en']] as const]) {
  await parlance.call('POST', '/api/projects', { name: slug, slug, sourceLanguage: 'en' })
  for (const of of languages) await parlance.call('PUT', `/api/projects/${slug}/bundles/${of}/n0`, resourceOf(225))
}
const sources = (slug: string) =>
  Array.from({ length: 225 }, (_, at) =>
    request(
      `/api/projects/${slug}/bundles/en/n0/section${Math.floor(at / 50)}.item${1000 + at}`,
      { 'x-api-key': parlance.key },
      { method: 'PUT', body: `{"value":"Changed ${UNIQUE}"}` },
    ),
  )

const put = (key: string) =>
  request(
    '/api/projects/web/bundles/en/n0/section0.item1001',
    { 'x-api-key': key },
    {
      method: 'PUT',
      body: `{"value":"Changed ${UNIQUE}"}`,
    },
  )
async function perSecond(requests: string[], connections: number): Promise<number> {
  const { statuses, seconds } = await load(parlance.running.url, requests, { connections })
  const { 200: right = 0, ...wrong } = statuses
  if (Object.keys(wrong).length > 0) throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return right / seconds
}

const reference = bundled(join(import.meta.dirname, 'references/store-alone.ts'))
let runs = 0
function storeAlone(writers: number, organizations: number): number {
  const numbers = [writers, 1, organizations, ROUND_MS].map(String)
  const [command = '', ...argv] = onServerCore([
    process.execPath,
    reference,
    join(folder, `alone-${runs++}`),
    ...numbers,
  ])
  const { stdout, status } = spawnSync(command, argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (status !== 0) throw new Error('the store alone failed')
  return Number(stdout)
}

const cases: [name: string, requests: string[], clients: number, organizations: number][] = [
  ['PUT key, 1 client', [put(parlance.key)], 1, 1],
  ['PUT key, 64 clients, 64 organizations', tokens.map(put), 64, ORGANIZATIONS],
]
const results = await alternate([
  ...cases.flatMap(([, requests, clients, organizations]) => [
    () => perSecond(requests, clients),
    async () => storeAlone(clients, organizations),
  ]),
  () => perSecond(sources('told'), 64),
  () => perSecond(sources('lone'), 64),
])
await parlance.running.stop()
const rows = cases.map(([name], index): Row => {
  const [ours = [], alone = []] = results.slice(index * 2, index * 2 + 2)
  return compared(`${name} / the store alone`, ours, alone, { unit: '/s', limit: 0.5 })
})
const [told = [], lone = []] = results.slice(cases.length * 2)
rows.push(compared('PUT source key, 64 clients, beside 29 translations / none', told, lone, { unit: '/s', limit: 0.1 }))
process.exitCode = report('writes', 'Durable writes per second, each a commit, over HTTP and by the store alone.', rows)
