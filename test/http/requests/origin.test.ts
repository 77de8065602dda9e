import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { hostFault, serverOrigin } from '../../../src/http/requests/origin.ts'

const request = (host: string, origin?: string, protocol = 'http') =>
  ({ protocol, host, headers: { origin } }) as FastifyRequest

t.test('accepts the origin of Host, or BASE_URL when the browser sends it', async t => {
  const base = 'https://parlance.example.com/sub'
  t.equal(serverOrigin(request('a.example:81'), undefined).origin, 'http://a.example:81')
  t.equal(serverOrigin(request('[::1]:81'), undefined).origin, 'http://[::1]:81')
  t.equal(serverOrigin(request('a.example', undefined, 'https'), base).origin, 'https://a.example')
  t.equal(
    serverOrigin(request('inner:3000', 'https://parlance.example.com'), base).origin,
    'https://parlance.example.com',
  )
  t.equal(serverOrigin(request('inner:3000', 'https://evil.example'), base).origin, 'http://inner:3000')
  for (const host of ['', '[', 'a b', 'a/b', 'u@h', 'h?q', 'h#f', 'h:99999', 'h\\x']) {
    t.throws(() => serverOrigin(request(host), undefined), { code: 'invalid' }, host)
  }
})

t.test('returns 400 when an HTTP/1.1 request lacks Host', async t => {
  const fault = (httpVersion: string, host?: string) =>
    hostFault({ raw: { httpVersion, headers: { host } } } as FastifyRequest)
  t.match(fault('1.1'), { code: 'invalid' })
  t.equal(fault('1.1', 'x'), undefined)
  t.equal(fault('1.0'), undefined)
})
