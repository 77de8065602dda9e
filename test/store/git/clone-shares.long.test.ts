/** Slow readers of one credential do not stop others from cloning. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Claimant } from '../../../src/scheduling/fair-shares.ts'
import { FairSlots } from '../../../src/scheduling/fair-slots.ts'
import { UploadPack } from '../../../src/store/git/upload-pack.ts'
import { Store } from '../../../src/store/store.ts'
import { eventually } from '../../contract/server.ts'

t.setTimeout(0)
const ANN = { name: 'Ann', email: 'ann@example.com' }
const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line
const PATIENCE = { slow: 200, shares: 60_000, stalled: 60_000 }

async function open(t: Test, patience: Partial<typeof PATIENCE> = {}) {
  const store = await Store.open({ watch: false, directory: join(t.testdir(), 'organizations') })
  t.teardown(() => store.close())
  const put = (bytes: Buffer) =>
    store.write('acme', ANN, tx => ({ result: tx.put('a', bytes), message: { subject: 'put' } }))
  const { revision } = await put(randomBytes(8 * 2 ** 20))
  const log = { info() {}, warn() {}, error() {} }
  const uploads = new UploadPack({ processes: 2, log, patience: { ...PATIENCE, ...patience } })
  const body = Buffer.from(`${packet('command=fetch\n')}0001${packet(`want ${revision}\n`)}${packet('done\n')}0000`)
  const read = (claimant: Claimant, pace: number) => {
    const left = new AbortController()
    t.teardown(() => left.abort(new Error('the test is over')))
    let bytes = 0
    let broken = false
    const take = async (output: Readable) => {
      try {
        while (pace === 0) await pause(100, undefined, { signal: left.signal })
        for await (const part of output) {
          bytes += part.length
          await pause((part.length / pace) * 1000, undefined, { signal: left.signal })
        }
      } catch {
        broken = true
      }
    }
    const request = { body, protocol: 2 as const, signal: left.signal, claimant }
    const through = uploads.answer(
      request,
      use => store.readGit('acme', use),
      output => void take(output.on('error', () => (broken = true))),
    )
    through.catch(() => {})
    return { through, bytes: () => bytes, broken: () => broken, leave: () => left.abort(new Error('gone')) }
  }
  return { uploads, read }
}

const FAST = Number.POSITIVE_INFINITY
for (const [who, other] of [
  ["another organization's", { organization: 'b', credential: 'fast' }],
  ["another token's", { organization: 'a', credential: 'fast' }],
] as const) {
  t.test(`${who} clone begins soon though 40 slow readers of one token hold and wait for every process`, async t => {
    const { uploads, read } = await open(t)
    const slow = Array.from({ length: 40 }, () => read({ organization: 'a', credential: 'slow' }, 20_000))
    t.ok(await eventually(() => uploads.load.running === 2))
    await pause(500)
    const fast = read(other, FAST)
    await fast.through
    t.ok(await eventually(() => fast.bytes() > 8 * 2 ** 20), 'it has everything')
    t.ok(slow.filter(({ broken }) => broken()).length <= 2, 'no more are cut than have to be')
    for (const reader of slow) reader.leave()
    t.ok(await eventually(() => uploads.load.running === 0 && uploads.load.waiting === 0))
  })
}

t.test('quick readers of one token are left in peace while another one waits a moment', async t => {
  const { uploads, read } = await open(t)
  const quick = [1, 2].map(() => read({ organization: 'a', credential: 'quick' }, 4 * 2 ** 20))
  t.ok(await eventually(() => uploads.load.running === 2))
  const other = read({ organization: 'b', credential: 'other' }, FAST)
  await Promise.all([...quick, other].map(({ through }) => through))
  t.strictSame(
    [...quick, other].map(({ broken }) => broken()),
    [false, false, false],
  )
})

t.test('readers that read nothing are cut when another one waits for long', async t => {
  const { uploads, read } = await open(t, { stalled: 500 })
  for (const name of ['one', 'two']) read({ organization: name, credential: name }, 0)
  t.ok(await eventually(() => uploads.load.running === 2))
  const other = read({ organization: 'three', credential: 'three' }, FAST)
  await other.through
  t.ok(await eventually(() => other.bytes() > 8 * 2 ** 20))
})

t.test('the credential with the fewest is next; when too many wait, the one with the most gives way', async t => {
  const slots = new FairSlots(1, 3)
  const never = new AbortController().signal
  const order: string[] = []
  const take = async (credential: string) => {
    const end = await slots.acquire(never, { claimant: { organization: credential, credential } })
    order.push(end ? credential : `${credential} refused`)
    return end
  }
  const first = await take('a')
  const others = ['a', 'a', 'a'].map(take)
  const b = take('b')
  t.strictSame(slots.load, { running: 1, waiting: 3 })
  first!()
  const end = await b
  t.strictSame(order.toSorted(), ['a', 'a refused', 'b'], 'b comes first')
  end!()
  for (const other of others) (await other)?.()
  t.strictSame(slots.load, { running: 0, waiting: 0 })
})
