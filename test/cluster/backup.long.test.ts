/** The backup of a cluster: one node runs it, and the next goes on where it ended. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { git } from '../contract/server.ts'
import { eventually } from '../eventually.ts'
import { noPostgres, startPostgres } from './postgres.ts'
import { startOne, startServers } from './servers.ts'

const QUICK = { settle: 20, latest: 200, firstRetry: 40, lastRetry: 150, accounts: 20 }

t.test('one node at a time pushes; another goes on', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const remote = join(t.testdir({}), '{organization}.git')
  const { servers } = await startServers(t, postgres, 2, { BACKUP_REMOTE: remote }, { backupDelays: QUICK })
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]]
  const acme = await one.organization()
  const web = await one.project(acme.key, 'web')
  const states = async () => {
    const all = await Promise.all(servers.map(server => server.call('GET', '/api/health', { as: acme.owner })))
    return all.map(({ json }) => json?.backup?.state)
  }
  t.ok(await eventually(async () => (await states()).includes('ok')))
  t.strictSame((await states()).filter(state => state !== undefined).length, 1, 'the other one says nothing of it')
  const first = (await states())[0] === 'ok' ? one : two
  const next = first === one ? two : one
  await next.put(`${web}/bundles/en/common`, acme.key, { a: 'before' })
  await first.close()
  servers.splice(servers.indexOf(first), 1)
  await next.put(`${web}/bundles/en/common`, acme.key, { a: 'after' })
  await next.mint(acme.owner, 'another')
  t.ok(await eventually(async () => (await states()).includes('ok')), 'it goes on, and nothing is diverged')
  const health = await next.call('GET', '/api/health', { as: acme.owner })
  t.equal(health.json.backup.error, undefined)
})

t.test(
  'a node that joins empty when no other lives has it from the remote, and from the log',
  { skip: noPostgres() },
  async t => {
    const postgres = await startPostgres(t)
    const folder = t.testdir({})
    const remote = { BACKUP_REMOTE: join(folder, '{organization}.git') }
    const { servers, database } = await startServers(t, postgres, 1, remote, { backupDelays: QUICK })
    const [one] = servers as [(typeof servers)[0]]
    const acme = await one.organization()
    const web = await one.project(acme.key, 'web')
    const path = `${web}/bundles/en/common`
    await one.put(path, acme.key, { a: 'backed up' })
    const state = async () => (await one.call('GET', '/api/health', { as: acme.owner })).json.backup?.state
    t.ok(await eventually(async () => (await state()) === 'ok'))
    const head = await one.newest(acme.id)
    const client = new pg.Client(database)
    await client.connect()
    // As the log is shortened to what the backup has.
    await client.query('update stream set base_seq = seq, base_head = head where id = $1', [acme.id])
    await client.query('delete from record where stream = $1', [acme.id])
    await client.end()
    // What is written from now on is in the log alone.
    const [there, away] = [join(folder, `${acme.id}.git`), join(folder, 'away.git')]
    renameSync(there, away)
    await one.put(path, acme.key, { a: 'in the log' })
    const newest = await one.newest(acme.id)
    await one.close()
    renameSync(away, there)
    t.equal(git(there, 'rev-parse', 'main').trim(), head)

    const without = await startOne(t, database, join(folder, 'without'))
    t.match((await without.get(path, acme.key)).json, { error: /No other node of the cluster has the repository/ })
    await without.close()
    const filled = await startOne(t, database, join(folder, 'filled'), remote, { backupDelays: QUICK })
    t.match((await filled.get(path, acme.key)).json, { a: 'in the log' })
    t.equal(await filled.newest(acme.id), newest)
    t.match(filled.git(acme.id, 'rev-list', 'main'), head)
    t.equal((await filled.put(path, acme.key, { a: 'after' })).status, 200)
  },
)
