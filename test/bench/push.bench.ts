/** Measures whole pushes beside the least that JSON itself takes, and how long others wait meanwhile; exits with 1 when a limit is missed. */
import { join } from 'node:path'
import { processorTime } from '../processor-time.ts'
import { alternate, QUICK, scratch } from './harness.ts'
import { longestWait, resourceOf, startParlance } from './parlance.ts'
import { bounded, compared, type Row, report } from './report.ts'

const SIZES = QUICK ? [1_000, 10_000] : [1_000, 10_000, 100_000]
const WARM_KEYS = QUICK ? 20_000 : 50_000
/** Of one measurement: what follows a push, git's index for one, comes once for several that follow each other. */
const KEYS_AT_ONCE = 20_000
const LANGUAGES = QUICK ? 5 : 30

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

/** As it is: compressing is no part of what JSON takes, and is measured with the reads. */
async function read(path: string): Promise<void> {
  const answer = await fetch(new URL(path, running.url), { headers: { ...token, 'accept-encoding': 'identity' } })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  await answer.arrayBuffer()
}

const rows: Row[] = []
for (const size of SIZES) {
  let bodies = 0
  /** Each unlike the others in 1 % of its texts: git keeps equal files once. */
  const body = () => JSON.stringify(resourceOf(size, bodies++))
  // Until the code that this takes is compiled.
  for (let keys = 0; keys < WARM_KEYS; keys += size) await push(newPath(), body())
  const times = Math.max(1, KEYS_AT_ONCE / size)
  let paths: string[] = []
  /** Processor time of one request of that kind to each of the round's bundles. */
  const each = async (ask: (path: string) => Promise<void>) => {
    const all = async () => {
      for (const path of paths) await ask(path)
    }
    return (await cpuOf(all)) / times
  }
  const [ofFirst = [], ofAgain = [], ofRead = [], ofFloor = [], waits = []] = await alternate([
    () => {
      paths = Array.from({ length: times }, newPath)
      return each(path => push(path, body()))
    },
    () => each(path => push(path, body())),
    () => each(read),
    async () => floor(body()),
    () => {
      const text = body()
      return longestWait(call, () => push(newPath(), text))
    },
  ])
  const row = (name: string, ours: number[]) =>
    compared(`${size} keys, ${name} / JSON`, ours, ofFloor, { unit: 'ms', limit: 5, atMost: true })
  rows.push(row('first push', ofFirst), row('1 % changed', ofAgain), row('read back', ofRead))
  if (size === 10_000) rows.push(bounded('10000 keys, first push, ms / 15', ofFirst, 15, 'ms'))
  rows.push(bounded(`longest wait of others beside ${size} keys, ms / 50`, waits, 50, 'ms'))
}
const bodies = Array.from({ length: LANGUAGES }, (_, at) => JSON.stringify(resourceOf(10_000, at)))
const from = performance.now()
for (const [at, body] of bodies.entries()) await push(`/api/projects/web/bundles/de-x-v${at}/all`, body)
console.log(
  `${LANGUAGES} languages of 10,000 keys, one after the other: ${((performance.now() - from) / 1000).toFixed(1)} s`,
)
await running.stop()
process.exitCode = report(
  'push',
  'Processor time of a push and of reading it back, beside JSON.parse and JSON.stringify of the same body.',
  rows,
)
