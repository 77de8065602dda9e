/**
 * Measures whole pushes beside JSON itself, and how long others wait meanwhile; exits with 1 when a limit is missed.
 */
import { join } from 'node:path'
import { processorTime } from '../processor-time.ts'
import { alternate, QUICK, scratch } from './harness.ts'
import { longestWait, resourceOf, startParlance } from './parlance.ts'
import { bounded, compared, report } from './report.ts'

const KEYS = 10_000
const MANY_KEYS = QUICK ? 20_000 : 90_000
const WARM_KEYS = QUICK ? 20_000 : 50_000
/** Pushes of one measurement: their follow-up work, such as git's index, runs once. */
const PUSHES = 2

const folder = scratch()
const parlance = await startParlance(join(folder, 'data'), { env: { NAMESPACE_BODY_LIMIT: '32MiB' } })
const { running, call, key } = parlance
const token = { 'x-api-key': key, 'content-type': 'application/json' }

/** Processor time in milliseconds that the server needs for some requests and what follows them. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = running.cpu()
  await work()
  return (running.cpu() - before) / 1000
}

/** Parsing and writing the same text, in milliseconds of this process. */
function floor(text: string): number {
  const before = processorTime()
  const times = Math.max(1, Math.floor(2_000_000 / text.length))
  for (let at = 0; at < times; at++) JSON.stringify(JSON.parse(text))
  return (processorTime() - before) / times
}

let bundles = 0
const newPath = () => `/api/projects/web/bundles/en/n${bundles++}`

async function push(path: string, body: string): Promise<void> {
  const answer = await fetch(new URL(path, running.url), { method: 'PUT', headers: token, body })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

let bodies = 0
/** Differs from every other body in 1 % of its texts: git stores equal files once. */
const body = (keys: number) => JSON.stringify(resourceOf(keys, bodies++))
// Until V8 has compiled the code.
for (let keys = 0; keys < WARM_KEYS; keys += KEYS) await push(newPath(), body(KEYS))
const [firsts = [], floors = [], waits = []] = await alternate([
  async () => {
    const all = async () => {
      for (let count = 0; count < PUSHES; count++) await push(newPath(), body(KEYS))
    }
    return (await cpuOf(all)) / PUSHES
  },
  async () => floor(body(KEYS)),
  () => {
    const text = body(MANY_KEYS)
    return longestWait(call, () => push(newPath(), text))
  },
])
await running.stop()
process.exitCode = report('push', 'Processor time of a push, beside JSON.parse and JSON.stringify of its body.', [
  compared(`${KEYS} keys, first push / JSON`, firsts, floors, { unit: 'ms', limit: 12, atMost: true }),
  bounded(`longest wait of others beside ${MANY_KEYS} keys, ms / 50`, waits, 50, 'ms'),
])
