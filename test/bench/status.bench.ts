/**
 * Measures the status of a project of 30 languages x 20 namespaces x 200 keys: the first one beside the JSON of its
 * files, and one after a source text was written; exits with 1 when a limit is missed.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bundlePath } from '../../src/project/project.ts'
import { processorTime } from '../processor-time.ts'
import { putAll } from './filled.ts'
import { alternate, ROUNDS, scratch } from './harness.ts'
import { callerWith, startParlance, startServer } from './parlance.ts'
import { bounded, compared, report } from './report.ts'

const TAGS = 'en,ar,bg,cs,da,de,el,es,et,fi,fr,he,hi,hr,hu,it,ja,ko,lt,lv,nb,nl,pl,pt,ro,ru,sk,sl,sv,uk'
const LANGUAGES = TAGS.split(',')
const NAMESPACES = 20
const KEYS = 200
/** Milliseconds until a write's follow-up work is done: its seal starts after 100, and costs as much as a status. */
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
/** A project for each round: the server does not count a file twice. */
const slugs = Array.from({ length: ROUNDS + 1 }, (_, round) => `web${round}`)
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
const [firsts = [], floors = []] = await alternate([() => cpuOf(status(slugs[round++]!)), floor])

let written = 0
async function afterWrite(rest = REST_MS): Promise<number> {
  const value = `Another text ${written++}`
  await call('PUT', '/api/projects/web0/bundles/en/ns7/section0_item1001', { value })
  await pause(rest)
  return cpuOf(status('web0'))
}
await cpuOf(status('web0'))
for (let at = 0; at < WARM; at++) await afterWrite(0)
const [sources = []] = await alternate([() => afterWrite()])
await running.stop()

process.exitCode = report('status', `${LANGUAGES.length} languages x ${NAMESPACES} namespaces x ${KEYS} keys`, [
  compared('first status / JSON of its files', firsts, floors, { unit: 'ms', limit: 10, atMost: true }),
  // The server counts each of the translations again.
  bounded('status after a source text was written', sources, 20, 'ms'),
])
