/** How far away a moment is, in the nearest whole unit. */
import t from 'tap'
import { relativeTime } from '../../../src/dashboard/ui/relative-time.ts'

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

t.test('rounds a time to the nearest whole number of the largest unit near it', async t => {
  const cases: [number, string][] = [
    [0, 'now'],
    [59, 'now'],
    [59.6, '1 minute'],
    [89, '1 minute'],
    [91, '2 minute'],
    [59 * MINUTE + 29, '59 minute'],
    [59 * MINUTE + 31, '1 hour'],
    [23.4 * HOUR, '23 hour'],
    [DAY - 1, '1 day'],
    [1.6 * DAY, '2 day'],
    [6.4 * DAY, '6 day'],
    [7 * DAY - 1, '1 week'],
    [26 * DAY, '4 week'],
    [30 * DAY - 1, '1 month'],
    [90 * DAY - 1, '3 month'],
    [349 * DAY, '12 month'],
    [365 * DAY - 1, '1 year'],
    [730 * DAY - 1, '2 year'],
  ]
  for (const [seconds, told] of cases) {
    const words = (sign: 1 | -1) => {
      const { count, unit } = relativeTime(sign * seconds) ?? { count: 0, unit: 'now' }
      return unit === 'now' ? unit : `${sign * count} ${unit}`
    }
    t.equal(words(1), told, `${seconds} s away`)
    t.equal(words(-1), told, `${seconds} s ago`)
  }
})
