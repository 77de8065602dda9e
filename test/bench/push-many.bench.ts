/** Measures a push of many bundles beside the least that the JSON of as many single pushes takes, and how long others wait meanwhile; exits with 1 when a limit is missed. */
import { join } from 'node:path'
import { processorTime } from '../processor-time.ts'
import { alternate, QUICK, scratch } from './harness.ts'
import { longestWait, resourceOf, startParlance } from './parlance.ts'
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

const bodyOf = (version: number): string => JSON.stringify({ bundles: texts(version), message: `Version ${version}` })

async function push(project: string, version: number, body = bodyOf(version)): Promise<void> {
  const path = `/api/projects/${project}/push?overwrite=true`
  const answer = await fetch(new URL(path, running.url), { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** The same in requests of their own. */
async function pushEach(project: string, version: number): Promise<void> {
  for (const [language, namespaces] of Object.entries(texts(version))) {
    for (const [namespace, resource] of Object.entries(namespaces)) {
      await call('PUT', `/api/projects/${project}/bundles/${language}/${namespace}?overwrite=true`, resource)
    }
  }
}

/** Until the server rests: the seal of so many files and git's index take one to three seconds. */
async function settled(): Promise<void> {
  const until = performance.now() + 10_000
  for (let [quiet, before] = [0, running.cpu()]; quiet < 3 && performance.now() < until; ) {
    await new Promise(resolve => setTimeout(resolve, 250))
    const now = running.cpu()
    quiet = now - before < 3_000 ? quiet + 1 : 0
    before = now
  }
}

/** Processor time in milliseconds that the server needs for some work: until it is answered, and with what follows. */
async function cpuOf(work: () => Promise<unknown>): Promise<{ answered: number; whole: number }> {
  await settled()
  const before = running.cpu()
  await work()
  const answered = (running.cpu() - before) / 1000
  await settled()
  return { answered, whole: (running.cpu() - before) / 1000 }
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
const wholes: number[] = []
let project = warm
const [ofFirst = [], ofAgain = [], ofFloor = [], ofEach = [], waits = []] = await alternate([
  async () => {
    project = await fresh()
    const { answered, whole } = await cpuOf(() => push(project, version++))
    wholes.push(whole)
    return answered
  },
  async () => (await cpuOf(() => push(project, version++))).answered,
  async () => floor(version++),
  async () => {
    const other = await fresh()
    return (await cpuOf(() => pushEach(other, version++))).whole
  },
  () => {
    // The client has something else to do than to wait while it writes megabytes of JSON.
    const body = bodyOf(version)
    return longestWait(call, () => push(project, version++, body))
  },
])
const name = `${BUNDLES} bundles of ${KEYS} keys`
const besideJson = (what: string, ours: number[]): Row =>
  compared(`${name}, ${what} / JSON`, ours, ofFloor, { unit: 'ms', limit: 3, atMost: true })
await running.stop()
process.exitCode = report(
  'push-many',
  'Processor time of one push of many bundles, beside JSON.parse and JSON.stringify of as many bodies, and as many pushes.',
  [
    besideJson('first push', ofFirst),
    besideJson('1 % changed', ofAgain),
    compared(`${name}, sealed: one push / ${BUNDLES}`, wholes.slice(1), ofEach, {
      unit: 'ms',
      limit: 1 / 2,
      atMost: true,
    }),
    bounded(`longest wait of others beside ${name}, ms / 50`, waits, 50, 'ms'),
  ],
)
