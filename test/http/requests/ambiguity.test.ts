import t from 'tap'
import { exchange, openScene } from '../server.ts'

t.setTimeout(0)

t.test('returns 431 when a request has too many headers, and drops none silently', async t => {
  const { server, acme } = await openScene(t, { METRICS: 'local' })
  const many = (count: number) => Array.from({ length: count }, (_, n) => `h${n}: 1`)
  const ask = (path: string, ...headers: string[]) =>
    exchange(server, [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'), 700)
  const cookie = `cookie: ${acme.owner.cookie}`
  for (const count of [250, 1000, 1100, 2500]) {
    const rows: [name: string, path: string, ...headers: string[]][] = [
      ['a second host', '/api/health/live', ...many(count), 'Host: other'],
      ['a key after a cookie', '/api/projects', cookie, ...many(count), 'x-api-key: wrong'],
      ['a forwarded address', '/metrics', ...many(count), 'X-Forwarded-For: 192.0.2.1'],
      ['no route', '/nowhere', ...many(count)],
    ]
    const answers = await Promise.all(rows.map(([, path, ...headers]) => ask(path, ...headers)))
    for (const [at, answer] of answers.entries())
      t.match(
        answer,
        /^HTTP\/1\.1 431 [\s\S]*\{"error":"The request has more than 200 headers\."\}$/,
        `${rows[at]?.[0]} behind ${count} headers`,
      )
  }
  t.match(await ask('/api/projects', cookie, ...many(198)), /^HTTP\/1\.1 200 /, 'exactly 200 are fine')
  t.match(await ask('/api/projects', cookie, ...many(199)), /^HTTP\/1\.1 431 /)
  t.match(await ask('/api/projects', ...many(150), `x-api-key: ${acme.key}`), /^HTTP\/1\.1 200 /)
})
