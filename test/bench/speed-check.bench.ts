/**
 * Part of `.ci/run`: fails when something has become twice as slow as the goals of the suite allow. It looks at ratios
 * of processor time in one run, which other programs on the machine hardly change, and looks again before it says no.
 */
import { join } from 'node:path'
import { processorTime } from '../processor-time.ts'
import { alternate, cpuPerRequest, request, scratch } from './harness.ts'
import { resourceOf, startParlance } from './parlance.ts'
import { readCases } from './read-cases.ts'

/** How much worse than the goal is still let through. */
const MARGIN = 2
const ROUNDS = 3
const MOST_LOOKS = 3

interface Check {
  name: string
  /** Runs some rounds. @returns how far the goal is reached: 1 is just enough */
  look: () => Promise<number>
}

/** Of the least of both: a busy machine and collections of garbage only ever add to processor time. */
async function ratio(above: () => Promise<number>, below: () => Promise<number>): Promise<number> {
  const [a = [], b = []] = await alternate([above, below], ROUNDS)
  return Math.min(...a) / Math.min(...b)
}

const reads = await readCases()
const checks: Check[] = reads.cases.map(({ name, ours, theirs, limit }) => ({
  name,
  look: async () => (await ratio(theirs, ours)) / limit,
}))

const { running, key, call } = await startParlance(join(scratch(), 'data'))
const put = async (path: string, body: unknown) => {
  const before = running.cpu()
  await call('PUT', path, body)
  return (running.cpu() - before) / 1000
}
const large = resourceOf(10_000)
let pushes = 0
checks.push({
  name: 'a push of 10,000 keys / JSON',
  look: async () => {
    const floor = async () => {
      const text = JSON.stringify(large)
      const before = processorTime()
      for (let at = 0; at < 10; at++) JSON.stringify(JSON.parse(text))
      return (processorTime() - before) / 10
    }
    return 12 / (await ratio(() => put(`/api/projects/web/bundles/en/pushed${pushes++}`, large), floor))
  },
})
for (let at = 0; at < 500; at++) await call('PUT', `/api/projects/web/bundles/de-x-v${at % 20}/n${at}`, { at: 'text' })
await call('POST', '/api/projects', { name: 'Few', slug: 'few', sourceLanguage: 'en' })
await call('PUT', '/api/projects/few/bundles/en/n0', { at: 'text' })
await call('PUT', '/api/projects/web/bundles/en/n0', { at: 'text' })
checks.push({
  name: 'a read in a project of 500 bundles / of one',
  look: () => {
    const read = (slug: string) => () =>
      cpuPerRequest(running, [request(`/api/projects/${slug}/bundles/en/n0`, { 'x-api-key': key })], 200)
    return ratio(read('few'), read('web'))
  },
})

let failed = 0
for (const { name, look } of checks) {
  let best = 0
  for (let looks = 0; looks < MOST_LOOKS && best < 1 / MARGIN; looks++) best = Math.max(best, await look())
  const verdict = best >= 1 / MARGIN ? 'ok' : `FAILED, ${MARGIN} times slower than it may be`
  console.log(`${name}: ${best.toFixed(2)} of the goal: ${verdict}`)
  if (best < 1 / MARGIN) failed++
}
await reads.stop()
await running.stop()
process.exitCode = failed > 0 ? 1 : 0
