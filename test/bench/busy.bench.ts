/** Measures how long reads wait while 64 writers write, beside the same reads alone; exits with 1 when a limit is missed. */
import { join } from 'node:path'
import { alternate, load, median, quantile, request, scratch, UNIQUE } from './harness.ts'
import { resourceOf, startParlance } from './parlance.ts'
import { compared, type Row, report } from './report.ts'

const BUNDLES = 64
const MS = 1_500

const { running, key, call } = await startParlance(join(scratch(), 'data'))
for (let at = 0; at < BUNDLES; at++) await call('PUT', `/api/projects/web/bundles/en/n${at}`, resourceOf(225))
const token = { 'x-api-key': key }
const path = (at: number) => `/api/projects/web/bundles/en/n${at}`
const many = Array.from({ length: BUNDLES }, (_, at) => at)
const reads = many.map(at => request(path(at), token))
const writes = many.map(at =>
  request(`${path(at)}/section0.item1001`, token, { method: 'PUT', body: `{"value":"Changed ${UNIQUE}"}` }),
)

/** The longest but one in a hundred, in milliseconds. */
async function waits(): Promise<number> {
  const { latencies, statuses } = await load(running.url, reads, { connections: 4, milliseconds: MS })
  if (Object.keys(statuses).join() !== '200') throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return quantile(latencies, 0.99) / 1000
}

const perSecond: number[] = []
const [alone = [], beside = []] = await alternate([
  waits,
  async () => {
    // The writers begin earlier and end later.
    const writing = load(running.url, writes, { connections: 64, milliseconds: MS + 1_000 })
    await new Promise(resolve => setTimeout(resolve, 400))
    const waited = await waits()
    const { statuses, seconds } = await writing
    perSecond.push((statuses['200'] ?? 0) / seconds)
    return waited
  },
])
await running.stop()
console.log(`${Math.round(median(perSecond))} writes per second meanwhile`)
const rows: Row[] = [
  compared('reads while 64 write, p99 / alone', beside, alone, { unit: 'ms', limit: 3, atMost: true }),
]
process.exitCode = report('busy', 'How long the slowest hundredth of the reads takes.', rows)
