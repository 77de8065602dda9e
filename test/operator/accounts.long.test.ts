/** The operator's commands where several nodes share the accounts. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { noPostgres, startPostgres } from '../cluster/postgres.ts'
import { startOne } from '../cluster/servers.ts'
import { Session, startServer } from '../contract/server.ts'
import { eventually } from '../eventually.ts'
import { parlance } from './parlance.ts'

t.setTimeout(0)

t.test('a folder becomes a node, is looked after, and becomes a folder again', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const database = await postgres.database()
  const folder = t.testdir({ other: {} })
  const dataDir = join(folder, 'data')
  const run = (words: string[], env: Record<string, string> = {}, at = dataDir) =>
    parlance(t, ['server', ...words, '--data-dir', at], { env })
  const asNodes = { CLUSTER: database, NODE_URL: 'http://127.0.0.1:1' }

  const alone = await startServer(t, { dataDir })
  const acme = await alone.organization()
  const web = await alone.project(acme.key, 'web')
  const path = `${web}/bundles/en/common`
  t.ok((await alone.put(path, acme.key, { hello: 'Hello' })).status < 300)
  const inUse = await run(['accounts', 'move', '--to', database])
  t.match([inUse.code, inUse.errors], [1, /in use by another/])
  const head = await alone.newest(acme.id)
  await alone.close()

  for (const [words, message] of [
    [[], /--to, or where from with --from/],
    [['--to', database, '--from', database], /one of them/],
    [['--to', 'mysql://db.example.com/x'], /--to must be postgres:/],
    [['--to', 'cluster'], /--to must be postgres:/],
  ] as const) {
    const wrong = await run(['accounts', 'move', ...words])
    t.match([wrong.code, wrong.errors], [2, message])
  }
  const moved = await run(['accounts', 'move', '--to', database])
  t.equal(moved.code, 0, moved.errors)
  t.match(moved.output, /^user +1 +[0-9a-f]{16}$/m)
  t.match(moved.output, /Moved \d+ rows from/)
  t.notOk(existsSync(join(dataDir, 'parlance.sqlite')))
  t.ok(readdirSync(dataDir).some(name => name.startsWith('parlance.sqlite.moved-')))
  const forgotten = await run(['user', 'list'])
  t.match([forgotten.code, forgotten.errors], [1, /were moved into a database/])

  const one = await startOne(t, database, dataDir)
  const two = await startOne(t, database, join(folder, 'two'))
  t.same((await two.get(path, acme.key)).json, { hello: 'Hello' }, 'a node without a folder fetched it')
  t.equal(await two.newest(acme.id), head)
  t.ok((await two.put(path, acme.key, { hello: 'Hi' })).status < 300)
  t.same((await one.get(path, acme.key)).json, { hello: 'Hi' })

  const made = await run(
    ['user', 'create', '--email', 'eve@example.com', '--name', 'Eve', '--organization', acme.slug, '--json'],
    asNodes,
  )
  t.equal(made.code, 0, made.errors)
  const signedIn = await one.signIn('eve@example.com', made.json.password)
  t.equal(signedIn.status, 200)
  const eve = new Session()
  eve.keep(signedIn.headers)
  t.equal((await two.call('GET', '/api/projects', { as: eve })).status, 200)
  const reset = await run(['user', 'reset-password', '--email', 'eve@example.com', '--json'], asNodes)
  t.match(reset.json, { sessionsEnded: 1 })
  t.equal((await two.call('GET', '/api/projects', { as: eve })).status, 401, 'ended everywhere')
  const list = await run(['organization', 'list', '--json'], asNodes)
  t.match(list.json.organizations, [{ id: acme.id, members: 2, projects: 1 }])
  const verified = await run(['verify', '--json'], asNodes)
  t.match(verified.json, { ok: true }, verified.output)
  t.match(
    (await run(['backup'], { ...asNodes, BACKUP_REMOTE: join(folder, '{organization}.git') })).errors,
    /by themselves/,
  )

  const gone = await one.organization('Otto')
  await one.project(gone.key, 'web')
  t.equal((await two.get('/api/projects', gone.key)).status, 200)
  t.ok(existsSync(two.repository(gone.id)))
  await two.close()
  const organizationId = gone.id
  await one.must('POST', '/api/auth/organization/delete', { as: gone.owner, body: { organizationId } })
  const three = await startOne(t, database, join(folder, 'two'))
  t.ok(await eventually(() => !existsSync(three.repository(gone.id))), 'deleted while the node was away')
  t.ok(existsSync(three.repository(acme.id)))

  const early = await run(['accounts', 'move', '--from', 'cluster'], asNodes, join(folder, 'other'))
  t.match([early.code, early.errors], [1, /Stop all nodes first/])
  await three.close()
  await one.close()
  const lacking = await run(['accounts', 'move', '--from', 'cluster'], asNodes, join(folder, 'other'))
  t.match([lacking.code, lacking.errors], [1, /lack the last writes/])
  const back = await run(['accounts', 'move', '--from', 'cluster', '--json'], asNodes)
  t.equal(back.code, 0, back.errors)
  t.match(
    back.json.tables.find(({ table }: { table: string }) => table === 'user'),
    { rows: 3 },
  )
  const again = await startServer(t, { dataDir })
  t.same((await again.get(path, acme.key)).json, { hello: 'Hi' })
  await t.rejects(startOne(t, database, join(folder, 'four')), { message: /were moved from that database/ })
})
