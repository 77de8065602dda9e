/** How often the log is shortened. */
import { mock } from 'node:test'
import t from 'tap'
import type { ClusterDatabase } from '../../src/cluster/cluster-database.ts'
import { SealedPositions } from '../../src/cluster/sealed-positions.ts'
import { Background } from '../../src/scheduling/background.ts'
import { SILENT } from './nodes.ts'

t.test('the log is shortened once a minute, however little there was to drop', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let asked = 0
  const transaction = async () => {
    asked++
    return 0
  }
  const background = new Background(SILENT)
  new SealedPositions({
    engine: { transaction } as unknown as ClusterDatabase,
    member: 'm',
    background,
    hasBackup: false,
  })
  for (let seconds = 0; seconds < 200; seconds++) {
    mock.timers.tick(1000)
    await new Promise(resolve => setImmediate(resolve))
  }
  t.equal(asked, 3)
})
