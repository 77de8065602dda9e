/** Reads that run a few at a time: the greediest organization gives way. */
import { EventEmitter } from 'node:events'
import type { FastifyReply } from 'fastify'
import t from 'tap'
import { inTurns } from '../../../src/http/requests/client-gone.ts'
import { BundleWorker } from '../../../src/worker/worker.ts'

/** A reply to a caller of an organization, without a client. */
const replyTo = (organization: string) => {
  const raw = Object.assign(new EventEmitter(), { req: { socket: new EventEmitter() } })
  return { raw, request: { caller: { organization, id: organization } } } as unknown as FastifyReply
}

t.test('lets no organization fill a queue alone', async t => {
  const inTurn = inTurns('diffs')
  const order: string[] = []
  const ends: (() => void)[] = []
  const ask = (organization: string) =>
    inTurn(replyTo(organization), async () => {
      order.push(organization)
      await new Promise<void>(resolve => ends.push(resolve))
    }).catch((error: Error) => void order.push(`${organization}: ${error.message}`))
  const all = Array.from({ length: 52 }, () => ask('acme'))
  const other = ask('globex')
  await Promise.resolve()
  t.strictSame(order, ['acme', 'acme'])
  ends[0]!()
  await all[0]
  await new Promise(setImmediate)
  t.strictSame(order.slice(2), ['acme: Too many diffs are waiting; try again.', 'globex'])
  for (let end = 1; end < 52; end++) {
    while (ends[end] === undefined) await new Promise(setImmediate)
    ends[end]!()
  }
  await Promise.all([...all, other])
  t.equal(order.filter(one => one === 'acme').length, 51)
})

t.test('computes a task of another organization before those of one that has many', async t => {
  const worker = new BundleWorker({ error: () => {} })
  t.teardown(() => worker.close())
  const order: string[] = []
  const run = (organization: string) =>
    worker.run(
      'read',
      () => {
        order.push(organization)
        return undefined
      },
      undefined,
      { organization, credential: organization },
    )
  const many = Array.from({ length: 20 }, () => run('acme'))
  await Promise.all([...many, run('globex')])
  t.ok(order.indexOf('globex') <= 2, order.join(' '))
})
