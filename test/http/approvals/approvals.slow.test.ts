/** An approval holds only while source and text are those that a reviewer approved. */
import t from 'tap'
import { compareWithOracle } from './approval-histories.ts'

t.test('has the approvals that an oracle reads from git, after each of a few random writes', async t => {
  t.ok((await compareWithOracle(t, 1, 40)) > 10, 'many of the states have approvals')
})
