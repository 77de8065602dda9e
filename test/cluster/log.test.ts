/** The contract of all logs, on PostgreSQL and on the one in memory that the store's tests have. */
import t from 'tap'
import { logContract } from './log-contract.ts'
import { MemoryEngine } from './memory-log.ts'
import { startNode } from './nodes.ts'
import { noPostgres, startPostgres } from './postgres.ts'

t.test('on PostgreSQL', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const url = await postgres.database()
  const nodes = [await startNode(t, url, 'one'), await startNode(t, url, 'other')] as const
  await logContract(t, [nodes[0].log, nodes[1].log])
})

t.test('in memory', async t => {
  const engine = new MemoryEngine()
  const gitDirOf = () => ''
  await logContract(t, [engine.join({ gitDirOf }), engine.join({ gitDirOf })])
})
