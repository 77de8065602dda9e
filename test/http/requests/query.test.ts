import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { readFlags, readLimit, readOnce } from '../../../src/http/requests/query.ts'

const request = (query: Record<string, unknown>) => ({ query }) as FastifyRequest

t.test('parses a flag as true or false, and refuses other values', async t => {
  t.strictSame(readFlags(request({}), ['dryRun', 'details']), { dryRun: false, details: false })
  t.strictSame(readFlags(request({ dryRun: 'true', details: 'false' }), ['dryRun', 'details']), {
    dryRun: true,
    details: false,
  })
  for (const value of ['', '1', 'True', 'yes', ['true', 'true']]) {
    t.throws(() => readFlags(request({ dryRun: value }), ['dryRun']), { code: 'invalid', message: /dryRun/ })
  }
  t.throws(() => readFlags(request({ dryrun: 'true' }), ['dryRun']), {
    code: 'invalid',
    message: /"dryrun".*takes dryRun/,
  })
  t.throws(() => readFlags(request({ v: '1' }), []), { code: 'invalid', message: /"v".*takes none/ })
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, '']))
  t.throws(() => readFlags(request(many), []), { message: /and 20 more/ })
})

t.test('refuses a repeated parameter of a read', async t => {
  t.equal(readOnce(request({ key: 'a' }), 'key'), 'a')
  t.equal(readOnce(request({ key: '' }), 'key'), '')
  t.equal(readOnce(request({}), 'key'), undefined)
  t.throws(() => readOnce(request({ key: ['a', 'b'] }), 'key'), { code: 'invalid', message: /key may be given once/ })
})

t.test('refuses a limit that is no whole number within its bounds', async t => {
  const bounds = { most: 1000, otherwise: 20 }
  t.equal(readLimit(request({}), bounds), 20)
  for (const limit of [1, 20, 1000]) t.equal(readLimit(request({ limit: `${limit}` }), bounds), limit)
  for (const limit of ['0', '1001', '', '-1', '1.0', '01', '1e2', ' 1', 'x', ['1', '1']]) {
    t.throws(() => readLimit(request({ limit }), bounds), { code: 'invalid', message: /limit/ }, String(limit))
  }
  t.throws(() => readLimit(request({ limit: '0' }), bounds), { message: /from 1 to 1,000/ })
})
