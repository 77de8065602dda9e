/**
 * Measures a push of many bundles beside the JSON of their bodies, and how long others wait meanwhile; exits with 1
 * when a limit is missed.
 */
import { join } from 'node:path'
import { processorTime } from '../processor-time.ts'
import { alternate, QUICK, scratch } from './harness.ts'
import { longestWait, resourceOf, startParlance } from './parlance.ts'
import { bounded, compared, report } from './report.ts'

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

const bodyOf = (version: number): string => JSON.stringify({ bundles: texts(version), message: `Version ${version}` })

async function push(project: string, version: number, body = bodyOf(version)): Promise<void> {
  const path = `/api/projects/${project}/push?overwrite=true`
  const answer = await fetch(new URL(path, running.url), { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** Until the server rests: the seal of the files and git's index last one to three seconds. */
async function settled(): Promise<void> {
  const until = performance.now() + 10_000
  for (let [quiet, before] = [0, running.cpu()]; quiet < 3 && performance.now() < until; ) {
    await new Promise(resolve => setTimeout(resolve, 250))
    const now = running.cpu()
    quiet = now - before < 3_000 ? quiet + 1 : 0
    before = now
  }
}

/** Processor time in milliseconds that the server needs until it answers. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  await settled()
  const before = running.cpu()
  await work()
  return (running.cpu() - before) / 1000
}

/** Parsing and writing the same texts, each for itself, in milliseconds of this process. */
function floor(version: number): number {
  const bodies = Object.values(texts(version)).flatMap(all => Object.values(all).map(one => JSON.stringify(one)))
  const before = processorTime()
  for (const body of bodies) JSON.stringify(JSON.parse(body))
  return processorTime() - before
}

let projects = 0
let version = 0
async function fresh(): Promise<string> {
  const project = `p${projects++}`
  await call('POST', '/api/projects', { name: project, slug: project, sourceLanguage: 'en' })
  return project
}

const warm = await fresh()
for (let times = 0; times < 3; times++) await push(warm, version++)
const [firsts = [], floors = [], waits = []] = await alternate([
  async () => {
    const project = await fresh()
    return cpuOf(() => push(project, version++))
  },
  async () => floor(version++),
  () => {
    // The client has something else to do than to wait while it writes megabytes of JSON.
    const body = bodyOf(version)
    return longestWait(call, () => push(warm, version++, body))
  },
])
const name = `${BUNDLES} bundles of ${KEYS} keys`
await running.stop()
process.exitCode = report(
  'push-many',
  'Processor time of one push of many bundles, beside JSON.parse and JSON.stringify of their bodies.',
  [
    compared(`${name}, first push / JSON`, firsts, floors, { unit: 'ms', limit: 8, atMost: true }),
    bounded(`longest wait of others beside ${name}, ms / 50`, waits, 50, 'ms'),
  ],
)
