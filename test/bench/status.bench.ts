/**
 * Measures the status of a project of 30 languages x 20 namespaces x 200 keys: the first one beside the JSON of its
 * files, and one after a source text was written; both also with approvals and suggestions. Exits with 1 when a limit
 * is missed.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bundleIn } from '../../src/bundle/canonical.ts'
import { textDigest } from '../../src/bundle/text-digest.ts'
import { bundlePath } from '../../src/project/project.ts'
import { renderEntries } from '../../src/project/sidecars/key-file.ts'
import { sidecarPath } from '../../src/project/sidecars/sidecars.ts'
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

/** Every text of a translation approved, and every tenth one with a suggestion. */
function sidecarsOf(slug: string, language: string, namespace: string, source: Buffer, target: Buffer) {
  const [from, to] = [source, target].map(bytes => bundleIn(bytes))
  const at = '2026-11-22T09:30:00.000Z'
  const by = { id: 'u4fTq9', name: 'Ann' }
  const rows = to!.rows().map(({ key, message }) => ({ key, message, of: textDigest(from!.message(key)!, message) }))
  const marks = rows.map(({ key, of }) => [key, { approved: { at: `${at.slice(0, 19)}Z`, by, of } }] as const)
  const suggestions = rows
    .filter((_, at) => at % 10 === 0)
    .map(({ key, message, of }, n) => [key, [{ id: `s${n}`, message, by, at, of }]] as const)
  const place = { slug, language, namespace }
  return [
    { path: sidecarPath({ ...place, sidecar: 'marks' }), bytes: renderEntries(new Map(marks))! },
    { path: sidecarPath({ ...place, sidecar: 'suggestions' }), bytes: renderEntries(new Map(suggestions))! },
  ]
}

const dataDir = join(scratch(), 'data')
const first = await startParlance(dataDir)
const { key, organization } = first
/** A project for each round: the server does not count a file twice. */
const slugs = Array.from({ length: ROUNDS + 1 }, (_, round) => `web${round}`)
/** The same with approvals and suggestions. */
const reviewed = slugs.map(slug => `reviewed-${slug}`)
for (const slug of [...slugs, ...reviewed])
  await first.call('POST', '/api/projects', { name: slug, slug, sourceLanguage: 'en' })
await first.running.stop()
const filesOf = (slug: string, project: number) =>
  LANGUAGES.flatMap(language =>
    Array.from({ length: NAMESPACES }, (_, namespace) => ({
      ...{ language, namespace },
      path: bundlePath({ slug, language, namespace: `ns${namespace}` }),
      bytes: fileOf(project, language, namespace),
    })),
  )
const files = slugs.map(filesOf)
const filesOfReviewed = reviewed.map((slug, at) =>
  filesOf(slug, slugs.length + at).flatMap(({ language, namespace, path, bytes }) => {
    const source = fileOf(slugs.length + at, 'en', namespace)
    const beside = language === 'en' ? [] : sidecarsOf(slug, language, `ns${namespace}`, source, bytes)
    return [{ path, bytes }, ...beside]
  }),
)
await putAll(dataDir, organization, [...files, ...filesOfReviewed].flat())

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
async function floor(of: readonly { bytes: Buffer }[]): Promise<number> {
  const texts = of.map(({ bytes }) => bytes.toString())
  const before = processorTime()
  for (let at = 0; at < 3; at++) for (const text of texts) JSON.stringify(JSON.parse(text))
  return (processorTime() - before) / 3
}

let [round, roundOfReviewed] = [0, 0]
const status = (slug: string) => `/api/projects/${slug}/status`
const [firsts = [], floors = [], firstsOfReviewed = [], floorsOfReviewed = []] = await alternate([
  () => cpuOf(status(slugs[round++]!)),
  () => floor(files[0]!),
  () => cpuOf(status(reviewed[roundOfReviewed++]!)),
  () => floor(filesOfReviewed[0]!),
])

let written = 0
async function afterWrite(slug: string, rest = REST_MS): Promise<number> {
  const value = `Another text ${written++}`
  await call('PUT', `/api/projects/${slug}/bundles/en/ns7/section0_item1001`, { value })
  await pause(rest)
  return cpuOf(status(slug))
}
const both = [slugs[0]!, reviewed[0]!]
for (const slug of both) await cpuOf(status(slug))
for (let at = 0; at < WARM; at++) for (const slug of both) await afterWrite(slug, 0)
const [sources = [], sourcesOfReviewed = []] = await alternate(both.map(slug => () => afterWrite(slug)))
await running.stop()

process.exitCode = report('status', `${LANGUAGES.length} languages x ${NAMESPACES} namespaces x ${KEYS} keys`, [
  compared('first status / JSON of its files', firsts, floors, { unit: 'ms', limit: 10, atMost: true }),
  compared('the same with approvals and suggestions', firstsOfReviewed, floorsOfReviewed, {
    ...{ unit: 'ms', limit: 10, atMost: true },
  }),
  // The server counts each of the translations again.
  bounded('status after a source text was written', sources, 20, 'ms'),
  compared('the same with approvals and suggestions / without', sourcesOfReviewed, sources, {
    ...{ unit: 'ms', limit: 3, atMost: true },
  }),
])
