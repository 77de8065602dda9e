/** A node marks answers that may be stale. */
import fastify from 'fastify'
import t from 'tap'
import { STALE, watchOverReads } from '../../../src/http/answers/fresh.ts'

t.test('marks an answer as stale when the node lost its lease while the route ran', async t => {
  const node = { isFresh: true, mayRead: true, lapses: 0, admit: async () => 7 }
  const app = fastify()
  watchOverReads(app, node)
  app.get('/fresh', async () => 'new')
  app.get('/late', async () => {
    node.isFresh = false
    return 'old'
  })
  app.get('/again', async () => {
    node.lapses++
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
