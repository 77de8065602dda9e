/** A node that stands still in the middle of an act on the accounts, for so long that its part of it is lost. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { start } from '../contract/process.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { noPostgres, startPostgres } from './postgres.ts'

/** PostgreSQL ends a transaction that says nothing for ten seconds. */
const STOPPED_MS = 11_000

t.test('an invitation works or was accepted', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const database = await postgres.database()
  const folder = t.testdir()
  const node = async (name: string) => {
    const port = String(await freePort())
    const env = { CLUSTER: database, PORT: port, NODE_URL: `http://127.0.0.1:${port}` }
    return start(t, join(folder, name), env)
  }
  const [one, two] = [await node('one'), await node('two')]
  const { owner } = await two.server.organization()
  const bob = await two.server.signUp('Bob')
  const body = { email: bob.user.email, role: 'member' }
  const { id } = (await two.server.must('POST', '/api/auth/organization/invite-member', { as: owner, body })).json
  const accept = (server: typeof one.server) =>
    server.call('POST', '/api/auth/organization/accept-invitation', { as: bob, body: { invitationId: id } })

  const connect = async () => {
    const client = new pg.Client(database)
    await client.connect()
    t.teardown(() => client.end())
    return client
  }
  const [holder, watcher] = [await connect(), await connect()]
  await holder.query('begin; lock table member in share mode')
  const cut = accept(one.server)
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into "member"%'`
  t.ok(await eventually(async () => (await watcher.query(waiting)).rows.length > 0), 'it is about to add the member')
  one.child.kill('SIGSTOP')
  t.teardown(() => one.child.kill('SIGCONT'))
  await holder.query('commit')
  // So that the others remove it from their list.
  await two.server.mint(owner, 'another')
  await pause(STOPPED_MS)
  one.child.kill('SIGCONT')
  const first = await cut
  t.comment(`the node answers ${first.status} ${first.text}`)
  if (first.status !== 200) t.match(await accept(two.server), { status: 200 }, 'the invitation still works elsewhere')
  for (const { server } of [one, two]) {
    const knows = async () => (await server.call('GET', '/api/projects', { as: bob })).status === 200
    t.ok(await eventually(knows), `${server.base} knows the member`)
  }
})
