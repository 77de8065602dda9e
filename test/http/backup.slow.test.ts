import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { start } from '../contract/process.ts'
import { eventually } from '../contract/server.ts'
import { noGit } from './git-client.ts'
import { type Session, startServer } from './server.ts'

if (noGit) t.bailout(noGit)

t.setTimeout(0)

const QUICK = { settle: 20, latest: 200, firstRetry: 30, lastRetry: 100, accounts: 50, trouble: 200 }

t.test('reports the state of the backup to an owner of the organization only', async t => {
  const root = t.testdir()
  const remote = join(root, 'remote', '{organization}.git')
  const dataDir = join(root, 'data')
  const server = await startServer(t, { dataDir, env: { BACKUP_REMOTE: remote }, backupDelays: QUICK })
  const acme = await server.organization('Ann')
  const admin = await server.join(acme, 'Adam', 'admin')
  const member = await server.join(acme, 'Mia', 'member')
  const reader = (await server.mint(acme.owner, 'reader', 'read')).key
  const other = await server.organization('Otto')
  const stranger = await server.signUp('Sam')
  const ask = async (as?: Session) => (await server.call('GET', '/api/health', as ? { as } : {})).json
  const is = async (wanted: object) => JSON.stringify((await ask(acme.owner)).backup) === JSON.stringify(wanted)
  t.ok(await eventually(() => is({ state: 'ok', lag: 0, lastSuccess: null })), 'nothing to push yet')

  await server.project(acme.key, 'web')
  await server.project(other.key, 'web')
  const settled = async () => {
    const all = [await ask(acme.owner), await ask(other.owner)].map(({ backup }) => backup)
    return all.every(backup => backup?.state === 'ok' && backup.lastSuccess !== null)
  }
  t.ok(await eventually(settled))
  const { backup, ...rest } = await ask(acme.owner)
  t.strictSame(rest, { status: 'ok', problems: 0, files: [] })
  t.strictSame(Object.keys(backup).sort(), ['lag', 'lastSuccess', 'state'])
  t.match(backup.lastSuccess, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  for (const one of [admin, member, stranger, undefined])
    t.notOk('backup' in (await ask(one)), one?.user.name ?? 'nobody')
  for (const key of [acme.key, reader, 'no token']) t.notOk('backup' in (await server.get('/api/health', key)).json)

  rmSync(join(root, 'remote', `${acme.id}.git`), { recursive: true })
  writeFileSync(join(root, 'remote', `${acme.id}.git`), 'in the way')
  await server.project(acme.key, 'app')
  t.ok(await eventually(async () => (await ask(acme.owner)).backup.state === 'failing'))
  const failing = (await ask(acme.owner)).backup
  t.match(failing, { error: /^Where the backup of \w+ belongs is something/, lag: Number, lastSuccess: String })
  t.notMatch(JSON.stringify(failing), root, 'no path of the machine')
  t.ok(
    await eventually(async () => (await ask(other.owner)).backup.state === 'ok'),
    'the other owner sees the other organization',
  )
  t.ok(await eventually(async () => (await ask()).status === 'degraded'), 'everyone sees that the server is degraded')
  t.strictSame(await ask(), { status: 'degraded', problems: 0 }, 'and no detail')
  const metrics = (await server.get('/metrics')).text
  t.match(metrics, /^parlance_backup_lag_seconds [0-9.]*[1-9]/m)
  t.match(metrics, /^parlance_backup_failures_total [1-9]/m)
  t.match(metrics, /^parlance_backup_last_success_timestamp_seconds 1[0-9]{9}/m)
  t.notMatch(metrics, acme.id)

  rmSync(join(root, 'remote', `${acme.id}.git`))
  t.ok(await eventually(async () => (await ask()).status === 'ok'))
  t.match((await ask(acme.owner)).backup, { state: 'ok', error: undefined })

  await server.must('POST', '/api/auth/organization/delete', { as: other.owner, body: { organizationId: other.id } })
  t.equal((await ask(other.owner)).backup, undefined, 'an owner without an organization')
})

t.test('reports the backup as off when no remote is set', async t => {
  const server = await startServer(t)
  const acme = await server.organization('Ann')
  const { backup } = (await server.call('GET', '/api/health', { as: acme.owner })).json
  t.strictSame(backup, { state: 'off', lag: 0, lastSuccess: null })
  t.notMatch((await server.get('/metrics')).text, /parlance_backup/)
})

t.test('serves without git, and reports that the backup needs it', async t => {
  const root = t.testdir()
  const started = await start(t, join(root, 'data'), {
    BACKUP_REMOTE: join(root, 'remote', '{organization}'),
    PATH: join(root, 'nothing'),
    SIGN_UP: 'open',
  })
  const { server } = started
  const acme = await server.organization('Ann')
  await server.project(acme.key, 'web')
  const health = async () => (await server.call('GET', '/api/health', { as: acme.owner })).json
  t.ok(await eventually(async () => (await health()).backup.state === 'failing'))
  t.equal((await health()).backup.error, 'A backup needs git 2.36 or newer, and there is none here.')
  t.equal((await server.get('/api/projects', acme.key)).status, 200)
})
