/** As approvals.slow.test.ts, with more and longer histories: `HISTORIES` says how many. */
import t from 'tap'
import { compareWithOracle } from './approval-histories.ts'

t.test('has the approvals that an oracle reads from git, after each of many random writes', async t => {
  const histories = Number(process.env.HISTORIES ?? 6)
  t.ok((await compareWithOracle(t, histories, 100)) > histories * 20, 'many of the states have approvals')
})
