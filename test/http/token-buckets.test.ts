import t from 'tap'
import { TokenBuckets } from '../../src/http/token-buckets.ts'

const setUp = (options: Partial<ConstructorParameters<typeof TokenBuckets>[0]> = {}) => {
  const clock = { now: 1000 }
  const buckets = new TokenBuckets({ perSecond: 10, burst: 20, ...options }, () => clock.now)
  const taken = (name: string, times: number) =>
    Array.from({ length: times }, () => buckets.take(name)).filter(wait => wait === 0).length
  return { clock, buckets, taken }
}

t.test('a burst, then so many a second, and never more than a burst after a pause', async t => {
  const { clock, buckets, taken } = setUp()
  t.equal(taken('a', 30), 20)
  t.equal(buckets.take('a'), 0.1, 'so many seconds to the next')
  clock.now += 50
  t.equal(buckets.take('a'), 0.05)
  clock.now += 50
  t.equal(taken('a', 3), 1)
  clock.now += 1000
  t.equal(taken('a', 30), 10)
  clock.now += 3_600_000
  t.equal(taken('a', 30), 20)
})

t.test('each has its own', async t => {
  const { taken } = setUp()
  t.equal(taken('a', 30), 20)
  t.equal(taken('b', 30), 20)
})

t.test('a refused request costs nothing: who waits as told gets through', async t => {
  const { clock, buckets, taken } = setUp()
  taken('a', 1000)
  clock.now += buckets.take('a') * 1000
  t.equal(buckets.take('a'), 0)
})

t.test('whoever goes on and on gets the rate, across all generations', async t => {
  const { clock, buckets } = setUp()
  let taken = 0
  for (let ms = 0; ms < 60_000; ms += 7) {
    clock.now += 7
    if (buckets.take('a') === 0) taken++
  }
  t.ok(Math.abs(taken - (20 + 600)) <= 2, `${taken} in a minute`)
})

t.test('what is full again is forgotten, and their number is bounded', async t => {
  const { clock, buckets, taken } = setUp({ capacity: 100 })
  for (let n = 0; n < 10_000; n++) buckets.take(`name ${n}`)
  t.ok(buckets.size <= 200, `${buckets.size}`)
  taken('a', 20)
  t.not(buckets.take('a'), 0)
  for (let n = 0; n < 90; n++) buckets.take(`name ${n}`)
  t.not(buckets.take('a'), 0, 'others do not drive out who is at it')
  clock.now += 2000
  buckets.take('b')
  clock.now += 2000
  buckets.take('b')
  t.equal(buckets.size, 1)
})
