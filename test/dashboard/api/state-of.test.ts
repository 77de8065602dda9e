import t from 'tap'
import { stateOf } from '../../../src/dashboard/api/state-of.ts'

t.test('a time without an offset is where the reader is', async t => {
  const zone = process.env.TZ
  t.teardown(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  const rows: [zone: string, typed: string, expected: string][] = [
    ['Asia/Kolkata', '2026-11-20 09:30', '2026-11-20T09:30+05:30'],
    ['America/St_Johns', '2026-11-20T09:30:15', '2026-11-20T09:30:15-03:30'],
    ['UTC', ' 2026-11-20 09:30 ', '2026-11-20T09:30+00:00'],
    ['Europe/Berlin', '2026-07-20 09:30', '2026-07-20T09:30+02:00'],
    ['Europe/Berlin', '2026-11-20T09:30:00+05:00', '2026-11-20T09:30:00+05:00'],
    ['Europe/Berlin', '2026-11-20', '2026-11-20'],
    ['Europe/Berlin', '2026-13-20 09:30', '2026-13-20 09:30'],
    ['Europe/Berlin', 'v1.4', 'v1.4'],
  ]
  for (const [zone, typed, expected] of rows) {
    process.env.TZ = zone
    t.equal(stateOf(typed), expected, `${typed} in ${zone}`)
  }
})
