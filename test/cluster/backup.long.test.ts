/** The backup of several nodes: one of them makes it, and the next goes on where it ended. */
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { noPostgres, startPostgres } from './postgres.ts'
import { startServers } from './servers.ts'

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
