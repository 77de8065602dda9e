/** The header that marks stale reads. */
import fastify from 'fastify'
import t from 'tap'
import { markStaleReads } from '../../src/cluster/stale-reads.ts'
import { STALE } from '../../src/http/answers/node-status.ts'

t.test('marks a read as stale when the lease was lost after it was admitted', async t => {
  const node = { isFresh: true, leaseLosses: 0, admit: async () => 7 }
  const app = fastify()
  markStaleReads(app, node)
  app.get('/fresh', async () => 'new')
  app.get('/late', async () => {
    node.isFresh = false
    return 'old'
  })
  app.get('/again', async () => {
    node.leaseLosses++
    return 'read in between'
  })
  app.get('/api/health', async () => 'ok')
  const header = async (url: string) => (await app.inject({ url })).headers[STALE]
  t.equal(await header('/fresh'), undefined)
  t.equal(await header('/again'), '8', 'the lease lapsed for a moment')
  t.equal(await header('/fresh'), undefined)
  t.equal(await header('/late'), '8', 'the length of a lease plus the longest wait')
  t.equal(await header('/late'), '7', 'the age that the node reports')
  t.equal(await header('/api/health'), undefined, 'the health of this node is never stale')
})
