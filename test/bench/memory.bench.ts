/**
 * Measures the memory of a server that has read 10,000 bundles of 20 KB, as they are and compressed, with the default
 * CACHE_BYTES; exits with 1 when a limit is missed.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { putAll } from './filled.ts'
import { load, QUICK, ROUNDS, request, scratch } from './harness.ts'
import { startParlance, startServer } from './parlance.ts'
import { bounded, report } from './report.ts'

const BUNDLES = QUICK ? 1_000 : 10_000
const LANGUAGES = 20
const KEYS = 225
/** Of one round of reading on: some 100,000 reads in all where the machine is quiet. */
const ROUND_MS = QUICK ? 1_000 : 4_000
const MB = 1024 * 1024

const nameOf = (at: number) => `de-x-v${at % LANGUAGES}/n${at}`

/** About 19 KB, 5 KB in brotli, like translations. No two bundles share a text: git would store deltas. */
function bundle(number: number): Buffer {
  const digits = createHash('shake256', { outputLength: KEYS * 16 })
    .update(String(number))
    .digest('hex')
  const texts = Array.from({ length: KEYS }, (_, at) => {
    const name = `item${1000 + at}`
    return [name, `Translated text ${digits.slice(at * 32, at * 32 + 32)} for {{name}}, 0`]
  })
  return Buffer.from(`${JSON.stringify({ section10: Object.fromEntries(texts) }, null, 2)}\n`)
}

const dataDir = join(scratch(), 'data')
const { running: first, key, organization } = await startParlance(dataDir)
await first.stop()
const files = Array.from({ length: BUNDLES }, (_, at) => ({
  path: `web/locales/${nameOf(at)}.json`,
  bytes: bundle(at),
}))
await putAll(dataDir, organization, files)
const running = await startServer(dataDir)
const health = await fetch(new URL('/api/health', running.url))
await health.arrayBuffer()
await pause(1_000)
const idle = running.memory() / MB
const token = { 'x-api-key': key }
const brotli = { ...token, 'accept-encoding': 'gzip, deflate, br' }
const requests = Array.from({ length: BUNDLES }, (_, at) => {
  const path = `/api/projects/web/bundles/${nameOf(at)}`
  return [request(path, token), request(path, brotli)]
}).flat()

async function read(requests: string[], milliseconds: number): Promise<number> {
  const { statuses } = await load(running.url, requests, { connections: 16, milliseconds })
  if (Object.keys(statuses).join() !== '200') throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return statuses['200'] ?? 0
}

// Until each was read plain and compressed.
for (let from = 0; from < requests.length; ) from += await read(requests.slice(from), ROUND_MS / 2)
const later: number[] = []
const before = running.cpu()
let reads = 0
for (let round = 0; round < ROUNDS; round++) {
  reads += await read(requests, ROUND_MS)
  later.push(running.memory() / MB - idle)
}
const each = (running.cpu() - before) / reads
await running.stop()
fs.rmSync(dataDir, { recursive: true, force: true })
console.log(`${idle.toFixed(1)} MB at rest; ${reads} more reads, of ${each.toFixed(0)} us`)
process.exitCode = report('memory', 'Resident memory with the default CACHE_BYTES.', [
  bounded(`${BUNDLES} bundles read, MB above rest / 200`, later, 200, 'MB'),
])
