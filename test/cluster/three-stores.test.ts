/** Three stores on one log in memory, in short; three-stores.long.test.ts goes on for longer. */
import t from 'tap'
import { runThreeStores } from './three-stores.ts'

t.test('nothing acknowledged is lost or denied, with nodes killed, deaf or badly connected', t =>
  runThreeStores(t, { writes: 100, kills: 2 }),
)
