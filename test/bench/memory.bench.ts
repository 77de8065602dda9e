/** Measures the memory of a server that has read 10,000 bundles of 20 KB, as they are and compressed, with the default CACHE_BYTES; exits with 1 when a limit is missed. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { load, QUICK, request, scratch } from './harness.ts'
import { resourceOf, startParlance, startServer } from './parlance.ts'
import { bounded, type Row, report } from './report.ts'

const BUNDLES = QUICK ? 1_000 : 10_000
const AGAIN_MS = QUICK ? 5_000 : 60_000
const LANGUAGES = 20
const MB = 1024 * 1024

const dataDir = join(scratch(), 'data')
const filled = await startParlance(dataDir)
const path = (at: number) => `/api/projects/web/bundles/de-x-v${at % LANGUAGES}/n${at}`
let next = 0
const fill = async () => {
  while (next < BUNDLES) {
    const at = next++
    await (await filled.call('PUT', path(at), resourceOf(225, at))).arrayBuffer()
  }
}
await Promise.all(Array.from({ length: 16 }, fill))
await filled.running.stop()

const running = await startServer(dataDir)
const health = await fetch(new URL('/api/health', running.url))
await health.arrayBuffer()
await pause(1_000)
const idle = running.memory() / MB
const token = { 'x-api-key': filled.key }
const brotli = { ...token, 'accept-encoding': 'gzip, deflate, br' }
const requests = Array.from({ length: BUNDLES }, (_, at) => [
  request(path(at), token),
  request(path(at), brotli),
]).flat()

async function read(requests: string[], milliseconds: number): Promise<number> {
  const { statuses } = await load(running.url, requests, { connections: 16, milliseconds })
  if (Object.keys(statuses).join() !== '200') throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return statuses['200'] ?? 0
}

// Until each was read both ways: compressing takes most of it.
for (let from = 0; from < requests.length; ) from += await read(requests.slice(from), QUICK ? 2_000 : 10_000)
const hot = running.memory() / MB - idle
await read(requests, AGAIN_MS)
const later = running.memory() / MB - idle
await running.stop()
console.log(`${idle.toFixed(1)} MB at rest`)
const rows: Row[] = [
  bounded(`${BUNDLES} bundles read, MB above rest / 75`, [hot], 75, 'MB'),
  bounded(`and after ${AGAIN_MS / 1000} s more, MB above rest / 75`, [later], 75, 'MB'),
]
process.exitCode = report('memory', 'Resident memory with the default CACHE_BYTES.', rows)
