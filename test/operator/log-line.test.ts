/** How the log reads on a terminal. */
import t from 'tap'
import { readableLine } from '../../src/operator/log-line.ts'

const at = (hours: number) => new Date(2026, 0, 2, hours, 4, 5).getTime()
const line = (members: object) =>
  `${JSON.stringify({ level: 30, time: at(3), pid: 7, hostname: 'host', ...members })}\n`

t.test('a line has a local time, a level, a sentence and what belongs to it', async t => {
  const rows: [object, string][] = [
    [{ msg: 'stopped' }, '2026-01-02 03:04:05 info  stopped\n'],
    [{ level: 40, time: at(13), msg: 'odd' }, '2026-01-02 13:04:05 warn  odd\n'],
    [
      { method: 'PUT', route: '/api/:slug', status: 200, ms: 1.5, caller: null, token: 'a b', msg: 'request' },
      '2026-01-02 03:04:05 info  request  method=PUT  route=/api/:slug  status=200  ms=1.5  token="a b"\n',
    ],
    [
      { level: 50, err: { type: 'Error', message: 'm', stack: 'Error: m\n    at f (x.ts:1)' }, msg: 'failed' },
      '2026-01-02 03:04:05 error failed\n    Error: m\n    at f (x.ts:1)\n',
    ],
    [{ level: 50, err: { message: 'm' }, msg: 'failed' }, '2026-01-02 03:04:05 error failed\n    m\n'],
  ]
  for (const [members, expected] of rows) t.equal(readableLine(line(members)), expected)
})

t.test('a terminal obeys nothing in it', async t => {
  const text = readableLine(
    line({ msg: 'a\u001b]0;b\u0007\nc', name: '\u001b[2J\u009b', err: { message: '\u001b[1m' } }),
  )
  t.notMatch(text.replaceAll('\n', ''), /[\u0000-\u001f\u007f-\u009f]/)
  t.equal(text.split('\n').length, 3)
})
