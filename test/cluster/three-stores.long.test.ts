/** Three stores on one log in memory for longer: see three-stores.test.ts. */
import t from 'tap'
import { runThreeStores } from './three-stores.ts'

const WRITES = Number(process.env.CLUSTER_WRITES ?? 1500)

t.test('nothing acknowledged is lost or denied, with nodes killed, deaf or badly connected, for long', t =>
  runThreeStores(t, { writes: WRITES, kills: Math.ceil(WRITES / 100) }),
)
