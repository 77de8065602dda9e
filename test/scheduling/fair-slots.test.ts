import t from 'tap'
import { FairSlots } from '../../src/scheduling/fair-slots.ts'

const never = new AbortController().signal

t.test('runs and queues up to its limits, first come, first served', async t => {
  const slots = new FairSlots(2, 3)
  const order: number[] = []
  const ends: (() => void)[] = []
  const take = async (n: number) => {
    const end = await slots.acquire(never)
    order.push(n)
    ends.push(end!)
  }
  const all = [0, 1, 2, 3, 4].map(take)
  t.equal(await slots.acquire(never), undefined, 'too many')
  await all[1]
  t.strictSame(order, [0, 1])
  t.strictSame(slots.load, { running: 2, waiting: 3 })
  for (const n of [0, 1, 2, 3, 4]) {
    await all[n]
    ends[n]!()
  }
  t.strictSame(order, [0, 1, 2, 3, 4])
  t.strictSame(slots.load, { running: 0, waiting: 0 })
})

t.test('skips a waiting claimant that left', async t => {
  const slots = new FairSlots(1, 2)
  const end = await slots.acquire(never)
  const leaving = new AbortController()
  const left = slots.acquire(leaving.signal)
  const next = slots.acquire(never)
  leaving.abort(new Error('gone'))
  await t.rejects(left, { message: 'gone' })
  await t.rejects(slots.acquire(leaving.signal), { message: 'gone' })
  t.strictSame(slots.load, { running: 1, waiting: 1 })
  end!()
  const endOfNext = await next
  t.strictSame(slots.load, { running: 1, waiting: 0 })
  endOfNext!()
  t.strictSame(slots.load, { running: 0, waiting: 0 })
})
