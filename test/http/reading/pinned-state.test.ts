/** Reads of many files of one state: others have their turns between them. */
import t from 'tap'
import { PinnedState } from '../../../src/http/reading/pinned-state.ts'
import { nextTurn } from '../../../src/scheduling/slices.ts'
import { BundleWorker } from '../../../src/worker/worker.ts'
import { snapshotOf } from '../../store/memory-head.ts'

t.test('gives others their turns between small files', async t => {
  const worker = new BundleWorker({ error: () => {} })
  t.teardown(() => worker.close())
  const state = snapshotOf({})
  const pinned = new PinnedState(async use => use(state), worker)
  const bytes = Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, 'x']))))
  let [turns, isDone] = [0, false]
  const others = async () => {
    for (; !isDone; turns++) await nextTurn()
  }
  const watching = others()
  const from = process.threadCpuUsage()
  const spent = () => {
    const { user, system } = process.threadCpuUsage(from)
    return (user + system) / 1000
  }
  while (spent() < 200) await pinned.compute('resource', () => ({ bytes }))
  isDone = true
  await watching
  t.ok(turns > 5, `${turns} turns in ${spent()} ms`)
})
