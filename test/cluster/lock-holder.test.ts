/** What one node at a time holds, and lets go of when it ends. */
import t from 'tap'
import type { ClusterDatabase } from '../../src/cluster/cluster-database.ts'
import { LockHolder } from '../../src/cluster/lock-holder.ts'
import { Background } from '../../src/scheduling/background.ts'
import { SILENT } from './nodes.ts'

t.test('a node that ends while it acquires the lock releases it', async t => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
  let held = 0
  const query = async (text: string) => {
    if (!text.includes('pg_try_advisory_lock')) return { rows: [] }
    isAsked()
    await mayAnswer
    return { rows: [{ taken: true }] }
  }
  const connect = async () => ({ query, release: () => void held--, held: held++ })
  const background = new Background(SILENT)
  // Its timers do not hold the process.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => {
    clearInterval(alive)
    return background.close()
  })
  const work = { key: 1, name: 'holding', begin: async () => {}, end: async () => {} }
  const holder = new LockHolder({ connect } as unknown as ClusterDatabase, background, work)
  await asked
  const closed = holder.close()
  answer()
  await closed
  await new Promise(resolve => setImmediate(resolve))
  t.equal(held, 0)
})
