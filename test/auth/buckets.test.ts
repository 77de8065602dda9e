import t from 'tap'
import { Buckets } from '../../src/auth/buckets.ts'

const MOST = 600

const setUp = (emptied: 'evenly' | 'at once' = 'evenly', memory?: number) => {
  const clock = { now: 1000 }
  const buckets = new Buckets(emptied, () => clock.now, memory)
  const taken = (name: string, times: number) =>
    Array.from({ length: times }, () => buckets.take(name, MOST)).filter(wait => wait === 0).length
  return { clock, buckets, taken }
}

t.test('a minute at once, then an even rate, and never more than a minute after a pause', async t => {
  const { clock, buckets, taken } = setUp()
  t.equal(taken('a', 700), 600)
  t.equal(buckets.take('a', MOST), 100, 'milliseconds to the next')
  clock.now += 50
  t.equal(buckets.take('a', MOST), 50)
  clock.now += 50
  t.equal(taken('a', 3), 1)
  clock.now += 1000
  t.equal(taken('a', 30), 10)
  clock.now += 3_600_000
  t.equal(taken('a', 700), 600)
})

t.test('nothing more within a minute of the first, then all', async t => {
  const { clock, buckets, taken } = setUp('at once')
  t.equal(taken('a', 300), 300)
  clock.now += 59_000
  t.equal(taken('a', 400), 300)
  t.equal(buckets.wait('a', MOST), 1000)
  buckets.refund('a')
  t.equal(taken('a', 2), 1)
  clock.now += 1000
  t.equal(taken('a', 700), 600)
  buckets.forget('a')
  t.equal(buckets.wait('a', MOST), 0)
  buckets.refund('nobody')
})

t.test('each has its own', async t => {
  const { taken } = setUp()
  t.equal(taken('a', 700), 600)
  t.equal(taken('b', 700), 600)
})

t.test('a refused request costs nothing: a client that waits as asked gets through', async t => {
  const { clock, buckets, taken } = setUp()
  taken('a', 1000)
  clock.now += buckets.take('a', MOST)
  t.equal(buckets.take('a', MOST), 0)
})

t.test('a steady client gets the rate', async t => {
  const { clock, buckets } = setUp()
  let taken = 0
  for (let ms = 0; ms < 300_000; ms += 7) {
    clock.now += 7
    if (buckets.take('a', MOST) === 0) taken++
  }
  t.ok(Math.abs(taken - 6 * MOST) <= 2, `${taken} in five minutes`)
})

t.test('their number is bounded', async t => {
  for (const emptied of ['evenly', 'at once'] as const) {
    const { buckets, taken } = setUp(emptied, 20_000)
    for (let n = 0; n < 10_000; n++) buckets.take(`name ${n}`, MOST)
    t.equal(buckets.size, 100)
    taken('a', MOST)
    t.not(buckets.take('a', MOST), 0)
    for (let n = 0; n < 90; n++) buckets.take(`name ${n}`, MOST)
    t.not(buckets.take('a', MOST), 0, 'others do not drive out who is at it')
  }
})
