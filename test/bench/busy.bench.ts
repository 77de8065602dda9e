/**
 * Measures how long reads wait beside writes at fixed rates, and while git merges packs, beside the same reads alone; exits with 1 when a
 * limit is missed. All begin by the clock (an open loop): who must wait does not keep others from coming.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { makeAged } from './aged.ts'
import { alternate, load, median, QUICK, quantile, type Running, request, scratch, UNIQUE } from './harness.ts'
import { callerWith, resourceOf, startParlance, startServer } from './parlance.ts'
import { compared, type Row, report } from './report.ts'

/** Of 20 KB each. */
const BUNDLES = 20
const READS = 200
/** Writes a second, and how many times as long as without any a read may take; 2,000 are only not to become worse. */
const RATES: Record<number, number> = { 100: 3, 500: 3, 1000: 5, 2000: 30 }
const MS = QUICK ? 1_300 : 3_000
/** Of the repository whose packs are merged: enough for a merge to last as long as several looks at it. */
const COMMITS = 10_000
const COMMITS_A_PACK = 100
const LOOK_MS = 500
/** git yields to the reads, so that a merge lasts as long as there are any. */
const MOST_LOOKS = 8
const MERGES = 3

const folder = scratch()

/** How long reads took, in milliseconds; every answer must be a 200. */
async function waits(running: Running, reads: string[], how: Parameters<typeof load>[2]): Promise<number[]> {
  const { latencies, statuses } = await load(running.url, reads, how)
  if (Object.keys(statuses).join() !== '200') throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return latencies.map(microseconds => microseconds / 1000)
}

const slowest = (waited: number[]): number => quantile(waited, 0.99)

async function besideWriters(): Promise<Row[]> {
  const { running, key, call } = await startParlance(join(folder, 'data'))
  const many = Array.from({ length: BUNDLES }, (_, at) => at)
  const path = (at: number) => `/api/projects/web/bundles/en/n${at}`
  for (const at of many) await call('PUT', path(at), resourceOf(225))
  const token = { 'x-api-key': key }
  const reads = many.map(at => request(path(at), token))
  const writes = many.map(at =>
    request(`${path(at)}/section0.item1001`, token, { method: 'PUT', body: `{"value":"Changed ${UNIQUE}"}` }),
  )
  const perSecond: Record<number, number[]> = {}
  const beside = (rate: number) => async () => {
    // The writers begin earlier and end later.
    const writing = rate && load(running.url, writes, { connections: 64, milliseconds: MS + 1_000, rate })
    await new Promise(resolve => setTimeout(resolve, 400))
    const waited = slowest(await waits(running, reads, { milliseconds: MS, connections: 16, rate: READS }))
    if (writing) {
      const { statuses, seconds } = await writing
      perSecond[rate] = [...(perSecond[rate] ?? []), (statuses['200'] ?? 0) / seconds]
    }
    return waited
  }
  const rates = Object.keys(RATES).map(Number)
  const [alone = [], ...taken] = await alternate([0, ...rates].map(beside))
  await running.stop()
  return rates.map((rate, at) => {
    const done = Math.round(median(perSecond[rate]!))
    const name = `reads beside ${rate} writes a second, p99 / beside none`
    if (done < rate * 0.95) console.log(`of ${rate} writes a second ${done} were done`)
    return compared(name, taken[at]!, alone, { unit: 'ms', limit: RATES[rate]!, atMost: true })
  })
}

async function besideMaintenance(): Promise<Row> {
  const aged = await makeAged(join(folder, 'aged'), COMMITS, COMMITS_A_PACK)
  const reads = [request(aged.path, { 'x-api-key': aged.key })]
  const [alone, beside]: [number[], number[]] = [[], []]
  let looks = 0
  for (let round = 0; round < MERGES; round++) {
    const dataDir = join(folder, `aged-${round}`)
    fs.cpSync(aged.dataDir, dataDir, { recursive: true })
    const packs = () => packsIn(join(dataDir, 'organizations', aged.organization))
    const running = await startServer(dataDir)
    await waits(running, reads, { connections: 4, milliseconds: LOOK_MS })
    alone.push(slowest(await waits(running, reads, { connections: 4, milliseconds: MS })))
    const before = packs()
    // The first seal makes it look at the packs.
    await callerWith(running, aged.key)('PUT', `${aged.path}/${aged.name}`, { value: 'Changed' })
    const waited: number[] = []
    for (let look = 0; look < MOST_LOOKS && packs() >= before; look++) {
      waited.push(...(await waits(running, reads, { connections: 4, milliseconds: LOOK_MS })))
      looks++
    }
    beside.push(slowest(waited))
    await running.stop()
    fs.rmSync(dataDir, { recursive: true, force: true })
  }
  console.log(`${looks} looks at ${COMMITS / COMMITS_A_PACK} packs being merged`)
  return compared('reads while packs are merged, p99 / alone', beside, alone, { unit: 'ms', limit: 3, atMost: true })
}

function packsIn(workTree: string): number {
  const names = fs.readdirSync(join(workTree, '.git/objects/pack'))
  return names.filter(name => name.endsWith('.pack')).length
}

const rows = [...(await besideWriters()), await besideMaintenance()]
process.exitCode = report('busy', 'How long the slowest hundredth of the reads takes.', rows)
