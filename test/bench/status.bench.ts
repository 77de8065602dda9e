/**
 * Measures the status of a project of 30 languages x 20 namespaces x 200 keys beside what JSON itself takes for its files: the first one, one after a
 * key was written, one that has not changed; exits with 1 when a limit is missed.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bundlePath } from '../../src/project/project.ts'
import { processorTime } from '../processor-time.ts'
import { putAll } from './filled.ts'
import { alternate, cpuPerRequest, median, ROUNDS, request, scratch } from './harness.ts'
import { callerWith, longestWait, startParlance, startServer } from './parlance.ts'
import { bounded, compared, report } from './report.ts'

const TAGS = 'en ar bg cs da de el es et fi fr he hi hr hu it ja ko lt lv nb nl pl pt ro ru sk sl sv uk'
const LANGUAGES = TAGS.split(' ')
const NAMESPACES = 20
const KEYS = 200
/** Milliseconds until what follows a write is through: its seal begins after 100 and takes as much processor time as a status. */
const REST_MS = 400
/** Writes before what is measured: a server that runs for a while has its code compiled. */
const WARM = 60

/** A file as the store writes it: every fifth key has a placeholder, every tenth is a plural, some are empty. */
function fileOf(project: number, language: string, namespace: number): Buffer {
  const texts: [string, string][] = []
  for (let at = 0; at < KEYS; at++) {
    const key = `section${Math.floor(at / 25)}_item${1000 + at}`
    const text = `Text ${at} of ${project}/${namespace} in ${language}${at % 5 === 0 ? ' for {{name}}' : ''}`
    if (at % 10 === 3) texts.push([`${key}_one`, '{{count}} item'], [`${key}_other`, '{{count}} items'])
    else texts.push([key, language !== 'en' && at % 23 === 0 ? '' : text])
  }
  return Buffer.from(`${JSON.stringify(Object.fromEntries(texts), null, 2)}\n`)
}

const dataDir = join(scratch(), 'data')
const first = await startParlance(dataDir)
const { key, organization } = first
/** Two projects for each round: what was counted once is not counted again. */
const slugs = Array.from({ length: 2 * (ROUNDS + 1) }, (_, round) => `web${round}`)
for (const slug of slugs) await first.call('POST', '/api/projects', { name: slug, slug, sourceLanguage: 'en' })
await first.running.stop()
const files = slugs.map((slug, project) =>
  LANGUAGES.flatMap(language =>
    Array.from({ length: NAMESPACES }, (_, namespace) => ({
      path: bundlePath({ slug, language, namespace: `ns${namespace}` }),
      bytes: fileOf(project, language, namespace),
    })),
  ),
)
await putAll(dataDir, organization, files.flat())

const running = await startServer(dataDir)
const call = callerWith(running, key)

/** Processor time in milliseconds of one request to the server. */
async function cpuOf(path: string): Promise<number> {
  const before = running.cpu()
  await (
    await fetch(new URL(path, running.url), { headers: { 'x-api-key': key, 'accept-encoding': 'identity' } })
  ).arrayBuffer()
  return (running.cpu() - before) / 1000
}

/** Parsing and writing every file of a project, in milliseconds of this process. */
async function floor(): Promise<number> {
  const texts = files[0]!.map(({ bytes }) => bytes.toString())
  const before = processorTime()
  for (let at = 0; at < 3; at++) for (const text of texts) JSON.stringify(JSON.parse(text))
  return (processorTime() - before) / 3
}

let round = 0
const status = (slug: string) => `/api/projects/${slug}/status`
const [firsts = [], floors = [], waits = []] = await alternate([
  () => cpuOf(status(slugs[round++]!)),
  floor,
  () => longestWait(call, () => call('GET', status(slugs[round++]!))),
])

let written = 0
async function write(language: string): Promise<number> {
  const value = `Another text ${written++}`
  const before = running.cpu()
  await call('PUT', `/api/projects/web0/bundles/${language}/ns7/section0_item1001`, { value })
  return (running.cpu() - before) / 1000
}
async function afterWrite(language: string, rest = REST_MS): Promise<number> {
  await write(language)
  await pause(rest)
  return cpuOf(status('web0'))
}
await cpuOf(status('web0'))
for (let at = 0; at < WARM; at++) await afterWrite(at % 2 === 0 ? 'de' : 'en', 0)
const [targets = [], sources = []] = await alternate([() => afterWrite('de'), () => afterWrite('en')])
/** Of several writes, each a look at the other languages: one takes less than the books of the system tell well. */
const writes = async (language: string) => {
  let sum = 0
  for (let at = 0; at < 10; at++) sum += await write(language)
  return sum / 10
}
const [ofTarget = [], ofSource = []] = await alternate([() => writes('de'), () => writes('en')])

async function unchanged(path: string): Promise<() => Promise<number>> {
  const { headers } = await call('GET', path)
  const known = request(path, { 'x-api-key': key, 'if-none-match': headers.get('etag')! })
  return () => cpuPerRequest(running, [known], 304)
}
const [same = [], namespace = []] = await alternate([
  await unchanged(status('web0')),
  await unchanged('/api/projects/web0/bundles/en/ns7'),
])
await running.stop()

const medians = [targets, sources].map(median)
console.log(`a second status takes ${medians.map(value => value.toFixed(1)).join(' and ')} ms of processor time`)
process.exitCode = report('status', `${LANGUAGES.length} languages x ${NAMESPACES} namespaces x ${KEYS} keys`, [
  compared('first status / JSON of its files', firsts, floors, { unit: 'ms', limit: 10, atMost: true }),
  bounded('status after a translation was written', targets, 5, 'ms'),
  // It parses the namespace of every language.
  bounded('status after a source text was written', sources, 20, 'ms'),
  compared('PUT of a source text / of a translation', ofSource, ofTarget, { unit: 'ms', limit: 2, atMost: true }),
  bounded('longest wait of others beside a first status, ms / 50', waits, 50, 'ms'),
  compared('304 / 304 of a namespace', same, namespace, { unit: 'us', limit: 1.2, atMost: true }),
])
