/** Commits of accounts with a cancelled wait for a standby: PostgreSQL reports success and a warning. */
import pg from 'pg'
import t from 'tap'
import { ClusterDatabase } from '../../src/cluster/cluster-database.ts'
import { eventually } from '../eventually.ts'
import { SILENT } from './nodes.ts'
import { noPostgres, startPostgres } from './postgres.ts'
import { startServers } from './servers.ts'

t.test('a cancelled wait for a standby is no success', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const { servers, database } = await startServers(t, postgres, 2)
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]]
  const acme = await one.organization()
  const client = new pg.Client(database)
  await client.connect()
  t.teardown(() => client.end())
  const standby = async (name: string) => {
    await client.query(`alter system set synchronous_standby_names = '${name}'`)
    await client.query('select pg_reload_conf()')
    await eventually(
      async () => (await client.query('show synchronous_standby_names')).rows[0].synchronous_standby_names === name,
    )
  }
  const lane = `from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'parlance accounts'`
  const opening = `${lane} and query like '%pg_logical_emit_message%'`
  const waiting = `${lane} and query not like '%pg_logical_emit_message%'`
  const waits = (rows: string) => eventually(async () => (await client.query(`select 1 ${rows}`)).rows.length > 0)
  const cancel = (rows: string) => client.query(`select pg_cancel_backend(pid) ${rows}`)

  const rename = (name: string) => () => one.call('POST', '/api/auth/update-user', { as: acme.owner, body: { name } })
  const acts = {
    'a token': () => one.call('POST', '/api/tokens', { as: acme.owner, body: { name: 'doubtful', scope: 'read' } }),
    'a name': rename('Anna'),
  }
  for (const [name, act] of Object.entries(acts)) {
    // Enough connections that none has to be opened.
    await Promise.all(Array.from({ length: 6 }, rename('Ann')))
    await standby('nobody')
    const answer = act()
    t.ok(await waits(waiting), `${name} waits`)
    await cancel(waiting)
    await standby('')
    const { status, text, headers } = await answer
    t.equal(status, 503, `${name}: ${text}`)
    t.match(text, /look whether it was written/, name)
    t.equal(headers['retry-after'], undefined, `${name} is not to be done again without a look`)
    // It was written, and every node knows it.
    for (const server of [one, two])
      t.ok(
        await eventually(async () => {
          const [tokens, session] = [
            await server.call('GET', '/api/tokens', { as: acme.owner }),
            await server.call('GET', '/api/auth/get-session', { as: acme.owner }),
          ]
          return name === 'a token' ? tokens.text.includes('doubtful') : session.json?.user?.name === 'Anna'
        }),
        `${name}, ${server.base}`,
      )
  }

  const engine = new ClusterDatabase({ urls: [database], log: SILENT })
  t.teardown(() => engine.close())
  await engine.query('log', 'select 1')
  await standby('nobody')
  const connecting = engine.connect('accounts').catch((error: unknown) => error)
  t.ok(await waits(opening), 'a new connection waits')
  await cancel(opening)
  const connected = await connecting
  await standby('')
  t.match(connected, { code: 'unavailable' }, 'what it shows may be lost: it is not used')
})
