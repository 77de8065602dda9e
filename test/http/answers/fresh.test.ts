/** Answers of a node that may be old say so. */
import fastify from 'fastify'
import t from 'tap'
import { STALE, watchOverReads } from '../../../src/http/answers/fresh.ts'

t.test('what was fresh when it was asked for says so when it is not any more', async t => {
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
  t.equal(await header('/again'), '8', 'it was not fresh for a moment')
  t.equal(await header('/fresh'), undefined)
  t.equal(await header('/late'), '8', 'the length of a lease, and of the longest wait')
  t.equal(await header('/late'), '7', 'as the node says when it is asked')
  t.equal(await header('/api/health'), undefined, 'what is of this server alone is not old')
})
