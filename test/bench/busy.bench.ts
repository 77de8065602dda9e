/**
 * Measures how long reads wait beside writes at a fixed rate, beside the same reads alone; exits with 1 when a limit is
 * missed. All requests start by the clock (an open loop): a waiting request delays no other one.
 */
import { join } from 'node:path'
import { alternate, load, median, QUICK, quantile, request, scratch, UNIQUE } from './harness.ts'
import { resourceOf, startParlance } from './parlance.ts'
import { compared, report } from './report.ts'

/** Each of 20 KB. */
const BUNDLES = 20
/** A second. */
const READS = 200
const WRITES = 100
const MS = QUICK ? 1_300 : 3_000

const { running, key, call } = await startParlance(join(scratch(), 'data'))
const many = Array.from({ length: BUNDLES }, (_, at) => at)
const path = (at: number) => `/api/projects/web/bundles/en/n${at}`
for (const at of many) await call('PUT', path(at), resourceOf(225))
const token = { 'x-api-key': key }
const reads = many.map(at => request(path(at), token))
const writes = many.map(at =>
  request(`${path(at)}/section0.item1001`, token, { method: 'PUT', body: `{"value":"Changed ${UNIQUE}"}` }),
)

/** The slowest hundredth of reads, in milliseconds. */
async function slowestRead(): Promise<number> {
  const how = { milliseconds: MS, connections: 16, rate: READS }
  const { latencies, statuses } = await load(running.url, reads, how)
  if (Object.keys(statuses).join() !== '200') throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return quantile(latencies, 0.99) / 1000
}

const perSecond: number[] = []
const [alone = [], beside = []] = await alternate([
  slowestRead,
  async () => {
    // The writers start earlier and end later.
    const writing = load(running.url, writes, { connections: 64, milliseconds: MS + 1_000, rate: WRITES })
    await new Promise(resolve => setTimeout(resolve, 400))
    const slowest = await slowestRead()
    const { statuses, seconds } = await writing
    perSecond.push((statuses['200'] ?? 0) / seconds)
    return slowest
  },
])
await running.stop()
console.log(`${Math.round(median(perSecond))} writes a second`)
process.exitCode = report('busy', 'How long the slowest hundredth of the reads waits.', [
  compared(`reads beside ${WRITES} writes a second, p99 / beside none`, beside, alone, {
    unit: 'ms',
    limit: 3,
    atMost: true,
  }),
])
