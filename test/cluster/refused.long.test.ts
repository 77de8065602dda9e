/** A server does not start on a primary that may lose what it acknowledged, with two standbys beside it. */
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { Engines } from '../long/cluster/engines.ts'
import { Network } from '../long/cluster/network.ts'
import { noPostgres } from './postgres.ts'
import { startOne } from './servers.ts'

t.test('each setting is refused by its name', { skip: noPostgres() }, async t => {
  const network = await Network.open()
  t.teardown(() => network.close())
  const engines = await Engines.start(network)
  t.teardown(() => engines.close())
  const standbys = async () => (await engines.ask('select 1 from pg_stat_replication')).length
  t.ok(await eventually(async () => (await standbys()) === 2))
  let starts = 0
  const start = (env = {}) => startOne(t, engines.url, join(t.testdirName, String(starts++)), env)
  const set = async (name: string, value: string) => {
    await engines.ask(`alter system set ${name} = '${value}'`)
    await engines.ask('select pg_reload_conf()')
    t.ok(await eventually(async () => (await engines.ask(`show ${name}`)).join() === value))
  }
  for (const [name, value, safe, sentence] of [
    ['fsync', 'off', 'on', /fsync = off/],
    ['full_page_writes', 'off', 'on', /full_page_writes = off/],
    ['synchronous_commit', 'off', 'on', /synchronous_commit = off/],
    ['synchronous_commit', 'local', 'on', /synchronous_commit = local/],
    ['synchronous_standby_names', '', 'ANY 1 (*)', /standbys and none of them is synchronous/],
  ] as const) {
    await set(name, value)
    await t.rejects(start(), { code: 'unavailable', message: sentence })
    const managed = await start({ CLUSTER_DURABILITY: 'managed' })
    t.equal((await managed.get('/api/health')).status, 200, 'the operator answers for it')
    await managed.close()
    await set(name, safe)
  }
  const node = await start()
  t.equal((await node.get('/api/health')).status, 200)
})
