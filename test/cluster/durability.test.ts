/** Which databases are refused: those that would acknowledge what they can lose. */
import t from 'tap'
import { ClusterDatabase } from '../../src/cluster/cluster-database.ts'
import { type Durability, warningOf, whyUnsafe } from '../../src/cluster/durability.ts'
import { SILENT } from './nodes.ts'
import { noPostgres, startPostgres } from './postgres.ts'

const safe: Durability = {
  timeline: 1,
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  synchronous_standby_names: '',
  standbys: 0,
  patroni: false,
}

t.test('each sentence names the setting and what would be right', async t => {
  t.equal(whyUnsafe(safe), undefined)
  t.equal(warningOf(safe), undefined, 'one alone is its own machine')
  t.equal(whyUnsafe({ ...safe, synchronous_commit: 'remote_apply' }), undefined)
  for (const [name, value] of [
    ['fsync', 'off'],
    ['full_page_writes', 'off'],
    ['synchronous_commit', 'off'],
    ['synchronous_commit', 'local'],
  ] as const) {
    t.match(whyUnsafe({ ...safe, [name]: value }), new RegExp(`${name} = ${value}.*set it to on.*CLUSTER_DURABILITY`))
  }
  t.match(warningOf({ ...safe, standbys: 1 }), /none of them is synchronous.*synchronous_standby_names/)
  t.match(warningOf({ ...safe, patroni: true }), /Patroni.*synchronous_mode_strict/)
  t.equal(warningOf({ ...safe, standbys: 2, patroni: true, synchronous_standby_names: 'ANY 1 (a, b)' }), undefined)
})

t.test('a database that loses what it acknowledged is not used', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t, 'synchronous_commit=off')
  const urls = [await postgres.database()]
  const open = (options: object) => {
    const engine = new ClusterDatabase({ urls, log: SILENT, ...options })
    t.teardown(() => engine.close())
    return engine
  }
  await t.rejects(open({}).query('log', 'select 1'), { code: 'unavailable', message: /synchronous_commit = off/ })
  t.strictSame(await open({ managed: true }).query('log', 'select 1 as one'), [{ one: 1 }], 'unless told so')
})

t.test('finds the one primary among hosts that are away', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const engine = new ClusterDatabase({ urls: ['postgres://x@127.0.0.1:1/x', await postgres.database()], log: SILENT })
  t.teardown(() => engine.close())
  t.strictSame(await engine.query('log', 'select 1 as one'), [{ one: 1 }])
  t.equal(engine.host, `127.0.0.1:${postgres.port}`)
  const away = new ClusterDatabase({ urls: ['postgres://x:hunter2@127.0.0.1:1/x'], log: SILENT })
  const error = await away.query('log', 'select 1').catch((error: Error) => error)
  t.match(error, { code: 'unavailable', data: { retryAfter: 2 } })
  t.notMatch(JSON.stringify([error, String((error as Error).cause)]), 'hunter2')
})
