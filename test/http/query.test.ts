import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { readFlags } from '../../src/http/query.ts'

const request = (query: Record<string, unknown>) => ({ query }) as FastifyRequest

t.test('flags are true or false, false when they are left out, and nothing else is taken', async t => {
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
