/** Leases: their length and their clock. */
import t from 'tap'
import { LEASE_MS, Lease } from '../../src/cluster/lease.ts'

t.test('a lease lasts from before it was asked for', async t => {
  const at = { steady: 1000, wall: 5_000_000 }
  const lease = new Lease({ steady: () => at.steady, wall: () => at.wall })
  t.equal(lease.isValid, false, 'there is none before the first')
  t.equal(lease.age, Number.POSITIVE_INFINITY)
  const asked = lease.now()
  at.steady += 300
  lease.extend(asked)
  t.equal(lease.age, 300)
  t.equal(lease.leaseLosses, 1, 'from the start')
  at.steady += LEASE_MS - 301
  t.equal(lease.isValid, true)
  at.steady += 1
  t.equal(lease.isValid, false)
})

t.test('the clock that says more is believed', async t => {
  const at = { steady: 1000, wall: 5_000_000 }
  const lease = new Lease({ steady: () => at.steady, wall: () => at.wall })
  lease.extend(lease.now())
  at.wall += LEASE_MS
  t.equal(lease.isValid, false, 'the machine slept')
  lease.extend(lease.now())
  at.wall -= 3_600_000
  t.equal(lease.isValid, true, 'the clock was set back')
  at.steady += LEASE_MS
  t.equal(lease.isValid, false)
})

t.test('a slow answer of before shortens nothing, and who leaves has none', async t => {
  const at = { steady: 1000, wall: 5_000_000 }
  const lease = new Lease({ steady: () => at.steady, wall: () => at.wall })
  const early = lease.now()
  at.steady += 1500
  lease.extend(lease.now())
  lease.extend(early)
  t.equal(lease.age, 0)
  t.equal(lease.leaseLosses, 1)
  lease.end()
  t.equal(lease.isValid, false)
  lease.extend(lease.now())
  t.equal(lease.leaseLosses, 2)
  at.steady += LEASE_MS
  lease.extend(lease.now())
  t.equal(lease.leaseLosses, 3)
})
