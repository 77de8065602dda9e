/** Measures a push of many bundles beside the least that the JSON of as many single pushes takes, and how long others wait meanwhile; exits with 1 when a limit is missed. */
import { join } from 'node:path'
import { processorTime } from '../processor-time.ts'
import { alternate, QUICK, scratch } from './harness.ts'
import { resourceOf, startParlance } from './parlance.ts'
import { bounded, compared, type Row, report } from './report.ts'

const [LANGUAGES, NAMESPACES, KEYS] = [QUICK ? 10 : 30, 20, 200]
const BUNDLES = LANGUAGES * NAMESPACES

const folder = scratch()
const { running, call, key } = await startParlance(join(folder, 'data'))
const headers = { 'x-api-key': key, 'content-type': 'application/json' }

/** Unlike the version before in 1 % of the texts. */
function texts(version: number): Record<string, Record<string, unknown>> {
  const namespaces = (language: number) =>
    Array.from({ length: NAMESPACES }, (_, at) => [`n${at}`, resourceOf(KEYS, version + language * NAMESPACES + at)])
  return Object.fromEntries(
    Array.from({ length: LANGUAGES }, (_, at) => [`de-x-v${at}`, Object.fromEntries(namespaces(at))]),
  )
}

async function push(project: string, version: number): Promise<void> {
  const body = JSON.stringify({ bundles: texts(version), message: `Version ${version}` })
  const path = `/api/projects/${project}/push?overwrite=true`
  const answer = await fetch(new URL(path, running.url), { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** Processor time in milliseconds that the server needs for some work and what follows it. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = running.cpu()
  await work()
  // The seal, and git's index.
  await new Promise(resolve => setTimeout(resolve, 1_500))
  return (running.cpu() - before) / 1000
}

/** Parsing and writing the same texts, each for itself, in milliseconds of this process. */
function floor(version: number): number {
  const bodies = Object.values(texts(version)).flatMap(all => Object.values(all).map(one => JSON.stringify(one)))
  const before = processorTime()
  for (const body of bodies) JSON.stringify(JSON.parse(body))
  return processorTime() - before
}

/** The longest that anybody else waits for a small answer while something goes on, in milliseconds. */
async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let over = false
  const waits: number[] = []
  const asking = (async () => {
    while (!over) {
      const from = performance.now()
      await call('GET', '/api/projects/web')
      waits.push(performance.now() - from)
    }
  })()
  await work()
  over = true
  await asking
  return Math.max(...waits)
}

let project = ''
let projects = 0
let version = 0
/** Projects and versions that each measurement has for itself, made before it. */
async function freshProject(): Promise<void> {
  project = `p${projects++}`
  await call('POST', '/api/projects', { name: project, slug: project, sourceLanguage: 'en' })
}

await freshProject()
for (let warm = 0; warm < 2; warm++) await push(project, version++)
const [ofFirst = [], ofAgain = [], ofFloor = [], waits = []] = await alternate([
  async () => {
    await freshProject()
    return cpuOf(() => push(project, version++))
  },
  () => cpuOf(() => push(project, version++)),
  async () => floor(version++),
  () => longestWait(() => push(project, version++)),
])
const row = (name: string, ours: number[]): Row =>
  compared(`${BUNDLES} bundles of ${KEYS} keys, ${name} / JSON`, ours, ofFloor, { unit: 'ms', limit: 3, atMost: true })
await running.stop()
process.exitCode = report(
  'push-many',
  'Processor time of one push of many bundles, beside JSON.parse and JSON.stringify of as many bodies.',
  [
    row('first push', ofFirst),
    row('1 % changed', ofAgain),
    bounded(`longest wait of others beside ${BUNDLES} bundles, ms / 50`, waits, 50, 'ms'),
  ],
)
