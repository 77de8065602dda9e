import t from 'tap'
import { Durations, LIMITS } from '../../src/store/durations.ts'

t.test('each is counted in the first bucket that holds it', async t => {
  const durations = new Durations()
  for (const milliseconds of [0, 0.5, 0.51, 1, 10_000, 10_001, 3_600_000]) durations.add(milliseconds)
  t.strictSame(durations.counts, [2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2])
  t.equal(durations.counts.length, LIMITS.length + 1)
  t.equal(durations.sum, 0 + 0.5 + 0.51 + 1 + 10_000 + 10_001 + 3_600_000)
})
