import t from 'tap'
import { Pace } from '../../../src/store/write/pace.ts'

/** A pace that has seen writes of 0.05 ms each and syncs of `syncMs` each. */
function paced(syncMs: number): Pace {
  const pace = new Pace()
  let now = 0
  for (let batch = 0; batch < 100; batch++) {
    pace.computed(10, 0.5)
    now += 10
    pace.synced(now - syncMs, now)
  }
  return pace
}

t.test('as long as nothing is known, all that wait go together', async t => {
  const pace = new Pace()
  t.equal(pace.take(1, false), 1)
  t.equal(pace.take(64, false), 64)
  t.equal(pace.take(64, true), 0)
})

t.test('on a fast disk, enough writes to hide a sync go in two alternating halves', async t => {
  const pace = paced(0.25)
  t.equal(pace.take(64, false), 32)
  t.equal(pace.take(32, true), 32)
  t.equal(pace.take(65, false), 33)
})

t.test('too few to hide a sync wait for it and share the next', async t => {
  const pace = paced(0.25)
  t.equal(pace.take(1, false), 1)
  t.equal(pace.take(4, true), 0)
  t.equal(pace.take(8, false), 8)
})

t.test('on a slow disk nothing is computed ahead', async t => {
  const pace = paced(5)
  t.equal(pace.take(64, false), 64)
  t.equal(pace.take(64, true), 0)
  t.equal(pace.take(200, true), 200)
})

t.test('a sync that waited for its turn, or for our own computing, does not count as a slow disk', async t => {
  const pace = paced(0.25)
  pace.synced(1010, 1013)
  t.equal(pace.take(16, true), 16)
  pace.synced(1000, 1013.25)
  t.equal(pace.take(16, true), 16)
})

t.test('a disk that has become slow is noticed after a while', async t => {
  const pace = paced(0.25)
  for (let now = 2000; now < 3000; now += 10) pace.synced(now - 5, now)
  t.equal(pace.take(64, true), 0)
})
