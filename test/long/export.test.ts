/** An export of a large project: the memory that it takes does not grow with the project, and others go on being answered. */
import { randomBytes } from 'node:crypto'
import { get } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { bundlePath } from '../../src/project/project.ts'
import { putAll } from '../bench/filled.ts'
import { eventually, startServer } from '../contract/server.ts'
import { cost } from '../processor-time.ts'
import { type BuiltServer, noProc, startBuilt } from './built-server.ts'

t.setTimeout(600_000)

const LANGUAGES = 40
/** With files of 100 KB: a small project, which fills what is filled once, and a large one. */
const NAMESPACES = { small: 5, large: 20 }

/** The longest turn of the server since the last time, in milliseconds of processor time. */
async function longestTurn(server: BuiltServer): Promise<number> {
  const told = () => [...server.output().matchAll(/^longest turn: (\d+)$/gm)]
  const before = told().length
  server.signal('SIGWINCH')
  if (!(await eventually(() => told().length > before))) throw new Error('no word of the longest turn')
  return Number(told().at(-1)![1]) / 1000
}

/** Reads an answer without keeping it. @returns its length */
function read(server: BuiltServer, path: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(server.base + path, { headers: { 'x-api-key': key } }, response => {
      let bytes = 0
      response.on('data', part => (bytes += part.length))
      response.on('end', () => resolve(response.complete ? bytes : Number.NaN)).on('error', reject)
    })
    request.on('error', reject)
  })
}

t.test('memory and turns', { skip: noProc }, async t => {
  const first = await startServer(t)
  const { dataDir } = first
  const acme = await first.organization()
  for (const slug of Object.keys(NAMESPACES)) await first.project(acme.key, slug)
  await first.close()
  for (const [slug, namespaces] of Object.entries(NAMESPACES)) {
    const files = Array.from({ length: LANGUAGES * namespaces }, (_, at) => ({
      path: bundlePath({ slug, language: `en-x-l${at % LANGUAGES}`, namespace: `ns${Math.floor(at / LANGUAGES)}` }),
      bytes: Buffer.from(`${JSON.stringify({ key: randomBytes(74_000).toString('base64') }, null, 2)}\n`),
    }))
    await putAll(dataDir, acme.id, files)
  }
  const flags = ['--import', join(import.meta.dirname, 'longest-turn.ts')]
  const server = await startBuilt(t, dataDir, { CACHE_BYTES: '8MiB' }, flags)
  // A megabyte of JSON, parsed and written in one turn.
  const reference = JSON.stringify(
    Array.from({ length: 16_000 }, (_, at) => ({ key: `Text ${at}, of some length, and more` })),
  )
  const most = 8 * cost(() => JSON.parse(JSON.stringify(JSON.parse(reference))))
  for (const format of ['zip', 'json']) {
    const exported = (slug: string) => read(server, `/api/projects/${slug}/export?format=${format}`, acme.key)
    // As many bytes as of the large one, so that only what one export holds differs, and what V8 has not freed yet does not.
    let bytes = 0
    for (let at = 0; at < NAMESPACES.large / NAMESPACES.small; at++) bytes += await exported('small')
    const before = server.peak
    await longestTurn(server)
    const large = await exported('large')
    t.ok(large > bytes * 0.9, `${format}: ${large} bytes`)
    const longest = await longestTurn(server)
    const grown = server.peak - before
    const told = `${format}: ${(grown / 2 ** 20).toFixed(1)} MiB more for ${(large / 2 ** 20).toFixed(0)} MiB, others wait ${longest.toFixed(0)} of ${most.toFixed(0)} ms`
    t.comment(told)
    t.ok(grown < large / 2, told)
    t.ok(longest < most, told)
  }
})
