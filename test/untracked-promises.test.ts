/** `untracked-promises.ts` must run before anything imports tap. */
import { executionAsyncId } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'

t.test('follows promises in the plain lane alone', async t => {
  await setImmediate()
  const ids: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    await Promise.resolve()
    ids.push(executionAsyncId())
  }
  t.equal(new Set(ids).size, process.env.PLAIN ? 3 : 1, `ids ${ids}`)
})
