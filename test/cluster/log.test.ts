/** The log on PostgreSQL: the contract of all logs, and what becomes of appends whose connection is lost. */
import t from 'tap'
import { logContract } from './log-contract.ts'
import { startNode } from './nodes.ts'
import { noPostgres, startPostgres } from './postgres.ts'

t.test('on PostgreSQL', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const url = await postgres.database()
  const nodes = [await startNode(t, url, 'one'), await startNode(t, url, 'other')] as const
  await logContract(t, [nodes[0].log, nodes[1].log])
})
