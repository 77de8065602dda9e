/** When the dashboard shows that the server cannot be reached. */
import t from 'tap'
import { isReached, noteAnswer, onServer } from '../../../src/dashboard/api/connection.ts'

t.test('an answer that was on its way when the line went down does not say that it is back', async t => {
  let told = 0
  t.teardown(onServer('reached', () => told++))
  const before = performance.now()
  noteAnswer(0, before)
  t.notOk(isReached())
  noteAnswer(200, before)
  t.notOk(isReached(), 'the answer to an older request')
  t.equal(told, 1)
  noteAnswer(404, performance.now())
  t.ok(isReached(), 'any answer to a newer one')
  t.equal(told, 2)
  noteAnswer(200, before)
  t.ok(isReached())
})
