/**
 * Exports of large projects, one and many: their memory does not grow with the project, and others are still served.
 */
import { randomBytes } from 'node:crypto'
import { get } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { bundlePath } from '../../src/project/project.ts'
import { putAll } from '../bench/filled.ts'
import { eventually, startServer } from '../contract/server.ts'
import { cost } from '../processor-time.ts'
import { type BuiltServer, noProc, startBuilt } from './built-server.ts'

t.setTimeout(0)

const LANGUAGES = 28
/** With files of 100 KB: a small project, which fills what is filled once, and a large one. */
const NAMESPACES = { small: 5, large: 20 }

/** As many as the server lets go on at a time; others wait for them. */
const AT_ONCE = 8
const MB = 2 ** 20

/** The longest turn of the server since the last time, in milliseconds of processor time. */
async function longestTurn(server: BuiltServer): Promise<number> {
  const told = () => [...server.output().matchAll(/^longest turn: (\d+)$/gm)]
  const before = told().length
  server.signal('SIGWINCH')
  if (!(await eventually(() => told().length > before))) throw new Error('no word of the longest turn')
  return Number(told().at(-1)![1]) / 1000
}

/** Reads an answer without storing it. @returns its length */
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

t.test('exports large projects with bounded memory and short turns', { skip: noProc }, async t => {
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
  const most = 12 * cost(() => JSON.parse(JSON.stringify(JSON.parse(reference))))
  for (const format of ['zip', 'json']) {
    const exported = (slug: string) => read(server, `/api/projects/${slug}/export?format=${format}`, acme.key)
    // As many bytes as of the large one, so that only what one export holds differs, and what V8 has not freed yet does
    // not.
    let bytes = 0
    for (let at = 0; at < NAMESPACES.large / NAMESPACES.small; at++) bytes += await exported('small')
    const told = async (what: string, run: () => Promise<number>) => {
      const before = server.peak
      await longestTurn(server)
      const size = await run()
      const longest = await longestTurn(server)
      const grown = server.peak - before
      const [more, sent] = [grown, size].map(bytes => `${(bytes / MB).toFixed(1)} MiB`)
      const figures = `${format}, ${what}: ${more} more for ${sent}, others wait ${longest.toFixed(0)} of ${most.toFixed(0)} ms`
      t.comment(figures)
      t.ok(grown < size / 2, figures)
      t.ok(longest < most, figures)
      return size
    }
    t.ok((await told('a large one', () => exported('large'))) > bytes * 0.9)
    const together = () => Promise.all(Array.from({ length: AT_ONCE }, () => exported('small')))
    const sum = await told('eight at once', async () => (await together()).reduce((sum, size) => sum + size))
    t.ok(sum > bytes * 1.8)
  }
})
