import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { codeOf } from '../auth/totp.ts'
import { Session } from '../contract/server.ts'
import { startServer } from '../http/server.ts'
import { git } from '../store/git-cli.ts'
import { parlance } from './parlance.ts'

t.setTimeout(0)

t.test('one push of everything, and a whole data folder back from it', async t => {
  const server = await startServer(t)
  const folder = t.testdirName
  const acme = await server.organization('Ann')
  const other = await server.organization('Otto')
  await server.project(acme.key, 'web')
  await server.put('/api/projects/web/bundles/en/common', acme.key, { hello: 'Hello' })
  const before = await server.get('/api/projects/web/bundles/en/common', acme.key)
  const { owner } = other
  const begun = await server.must('POST', '/api/auth/two-factor/enable', {
    as: owner,
    body: { password: owner.password },
  })
  const code = codeOf(begun.json.totpURI)
  await server.must('POST', '/api/auth/two-factor/verify-totp', { as: owner, body: { code } })
  const BACKUP_REMOTE = join(folder, 'remote/{organization}.git')
  const { dataDir } = server
  const backup = (...words: string[]) =>
    parlance(t, ['server', 'backup', '--data-dir', dataDir, ...words], { env: { BACKUP_REMOTE } })

  const beside = await backup()
  t.equal(beside.code, 1)
  t.match(beside.errors, /^parlance server backup: A server runs on [^\n]*\n$/)
  await server.close()
  const nowhere = await parlance(t, ['server', 'backup', '--json', '--data-dir', dataDir])
  t.equal(nowhere.code, 2)
  t.match(nowhere.json, { error: /BACKUP_REMOTE/ })

  const pushed = await backup('--json')
  t.equal(pushed.code, 0, pushed.output)
  t.match(pushed.json, { ok: true, remote: BACKUP_REMOTE })
  t.strictSame(
    Object.fromEntries(pushed.json.repositories.map(({ id, state }: { id: string; state: string }) => [id, state])),
    { [acme.id]: 'ok', 'parlance-accounts': 'ok' },
  )
  const table = await backup()
  t.match(table.output, new RegExp(`${acme.slug} +${acme.id} +pushed`))
  t.match(table.output, /everything is there/)

  const sound = await parlance(t, ['server', 'verify', '--json', '--data-dir', dataDir])
  t.strictSame([sound.code, sound.json.errors, sound.json.warnings], [0, 0, 0], sound.output)
  const accounts = join(dataDir, 'backup/accounts.git/objects')
  const object = fs
    .readdirSync(accounts, { withFileTypes: true, recursive: true })
    .find(({ name }) => name.endsWith('.pack'))!
  const path = join(object.parentPath, object.name)
  const good = fs.readFileSync(path)
  fs.chmodSync(path, 0o644)
  fs.writeFileSync(path, good.subarray(0, good.length >> 1))
  for (const env of [undefined, { PATH: '/nonexistent' }]) {
    const damaged = await parlance(t, ['server', 'verify', '--json', '--data-dir', dataDir], { ...(env && { env }) })
    t.equal(damaged.code, 1)
    t.match(damaged.json.findings[0], {
      severity: 'error',
      organization: null,
      path: /^backup\/accounts\.git\/objects/,
    })
  }
  fs.writeFileSync(path, good)

  const restored = join(folder, 'restored')
  const named = await parlance(t, ['server', 'restore', '--from', BACKUP_REMOTE, '--data-dir', restored, '--json'])
  t.equal(named.code, 0, named.errors)
  t.match(named.json, { dataDir: restored, remote: BACKUP_REMOTE, accountsAt: /^\d{4}-/ })
  t.strictSame(named.json.organizations.map(({ id }: { id: string }) => id).sort(), [acme.id, other.id].sort())
  t.strictSame(named.json.secondFactors, [owner.user.email], 'locked out by the lost secret')
  const full = await parlance(t, ['server', 'restore', '--data-dir', restored], { env: { BACKUP_REMOTE } })
  t.equal(full.code, 1)
  t.match(full.errors, /not empty/)

  const verified = await parlance(t, ['server', 'verify', '--json', '--data-dir', restored])
  t.equal(verified.code, 0, verified.output)
  t.strictSame(
    verified.json.findings.map(({ path, severity }: { path: string; severity: string }) => [path, severity]),
    [
      ['secret', 'note'],
      ['', 'note'],
    ],
    'no secret, and an organization that nothing was written to',
  )
  const again = await startServer(t, { dataDir: restored })
  const trail = (await again.signIn(acme.owner.user.email, acme.owner.password)).headers
  const ann = new Session()
  ann.keep(trail)
  const { entries } = (await again.must('GET', '/api/audit', { as: ann })).json
  t.strictSame(
    entries.map(({ what }: { what: string }) => what),
    ['sign-in', 'token-minted', 'organization-made'],
    'the audit trail is back, but for who had signed in',
  )
  const after = await again.get('/api/projects/web/bundles/en/common', acme.key)
  t.strictSame([after.status, after.text, after.headers.etag], [200, before.text, before.headers.etag])
  await again.close()
})

t.test('a damaged repository is put back from the backup, as verify says', async t => {
  const server = await startServer(t)
  const folder = t.testdirName
  const acme = await server.organization('Ann')
  await server.project(acme.key, 'web')
  await server.close()
  const { dataDir } = server
  const env = { BACKUP_REMOTE: join(folder, 'remote/{organization}.git') }
  t.equal((await parlance(t, ['server', 'backup', '--data-dir', dataDir], { env })).code, 0)
  const packs = join(server.repository(acme.id), '.git/objects/pack')
  const pack = join(packs, fs.readdirSync(packs).find(name => name.endsWith('.pack'))!)
  const bytes = fs.readFileSync(pack)
  bytes[bytes.length >> 1]! ^= 1
  fs.chmodSync(pack, 0o644)
  fs.writeFileSync(pack, bytes)
  const damaged = await parlance(t, ['server', 'verify', '--json', '--data-dir', dataDir])
  t.equal(damaged.code, 1)
  t.match(damaged.json.findings[0].todo, /parlance server restore --data-dir <an empty folder>.*moved from there/)
  t.equal((await parlance(t, ['server', 'restore', '--data-dir', join(folder, 'empty')], { env })).code, 0)
  fs.rmSync(server.repository(acme.id), { recursive: true })
  fs.renameSync(join(folder, 'empty/organizations', acme.id), server.repository(acme.id))
  const mended = await parlance(t, ['server', 'verify', '--json', '--data-dir', dataDir])
  t.strictSame([mended.code, mended.json.findings], [0, []])
})

t.test('a check proves that a restore would work, or names the broken organization', async t => {
  const server = await startServer(t)
  const folder = t.testdirName
  const [acme, other, idle] = [
    await server.organization('Ann'),
    await server.organization('Otto'),
    await server.organization('Ida'),
  ]
  for (const { key } of [acme, other]) {
    await server.project(key, 'web')
    await server.put('/api/projects/web/bundles/en/common', key, { hello: 'Hello' })
  }
  await server.close()
  const { dataDir } = server
  const temporary = join(folder, 'tmp')
  fs.mkdirSync(temporary)
  const env = { BACKUP_REMOTE: join(folder, 'remote/{organization}.git'), TMPDIR: temporary }
  const check = (...words: string[]) => parlance(t, ['server', 'backup', '--check', ...words], { env })
  const states = (json: { repositories: { slug: string | null; id: string; state: string }[] }) =>
    Object.fromEntries(json.repositories.map(({ slug, id, state }) => [slug ?? id, state]))

  const nothing = await check('--json')
  t.equal(nothing.code, 1, 'nothing was ever pushed')
  t.match(nothing.json, { ok: false, repositories: [{ state: 'missing', error: /`parlance server backup`/ }] })
  t.equal((await parlance(t, ['server', 'backup', '--data-dir', dataDir], { env })).code, 0)
  const well = await check('--json', '--data-dir', join(folder, 'no data here'))
  t.equal(well.code, 0, well.output)
  const accounts = 'parlance-accounts'
  t.strictSame(states(well.json), { [accounts]: 'ok', [acme.slug]: 'ok', [other.slug]: 'ok', [idle.slug]: 'empty' })
  const again = await startServer(t, { dataDir })
  t.equal((await check('--data-dir', dataDir)).code, 0, 'also beside a server')
  await again.close()

  const damage = async (id: string, name: string, wrong: object) => {
    const path = join(folder, 'remote', `${id}.git`)
    const object = git(path, 'rev-parse', name).trim()
    const file = join(path, 'objects', object.slice(0, 2), object.slice(2))
    const bytes = fs.readFileSync(file)
    fs.chmodSync(file, 0o644)
    fs.writeFileSync(
      file,
      bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 0x55 : byte)),
    )
    t.equal((await parlance(t, ['server', 'backup', '--data-dir', dataDir], { env })).code, 0, 'a push does not notice')
    const found = await check('--json')
    t.equal(found.code, 1)
    t.match(states(found.json), wrong)
    const { error } = found.json.repositories.find((one: { id: string }) => one.id === id)
    t.match(error, new RegExp(`${id} at the backup remote is damaged.*Move it away there`))
    t.match((await check()).output, /a restore would fail/)
    const restored = join(folder, `restored ${id}`)
    const restore = await parlance(t, ['server', 'restore', '--data-dir', restored], { env })
    t.equal(restore.code, 1)
    t.match(restore.errors, new RegExp(`The backup of ${id} is damaged, so nothing was restored`))
    fs.writeFileSync(file, bytes)
  }
  await damage(other.id, 'main:web/locales/en/common.json', { [acme.slug]: 'ok', [other.slug]: 'damaged' })
  await damage(accounts, 'main:parlance.sqlite', { [accounts]: 'damaged' })
  t.equal((await check()).code, 0)
  t.strictSame(fs.readdirSync(temporary), [], 'nothing of it is left')
})

t.test('the password in a remote is never said', async t => {
  const server = await startServer(t)
  const acme = await server.organization('Ann')
  await server.project(acme.key, 'web')
  await server.close()
  const remote = 'http://ann:hidden-token@127.0.0.1:1/backup/{organization}.git'
  const away = join(t.testdirName, 'away')
  for (const json of [[], ['--json']]) {
    const rows = [
      await parlance(t, ['server', 'backup', '--data-dir', server.dataDir, ...json], {
        env: { BACKUP_REMOTE: remote },
      }),
      await parlance(t, ['server', 'restore', '--data-dir', away, ...json], { env: { BACKUP_REMOTE: remote } }),
      await parlance(t, ['server', 'restore', '--from', remote, '--data-dir', away, ...json]),
      await parlance(t, [
        'server',
        'restore',
        '--from',
        remote.replace('{organization}', 'x'),
        '--data-dir',
        away,
        ...json,
      ]),
      await parlance(t, ['server', 'restore', `--form=${remote}`, '--data-dir', away, ...json]),
      await parlance(t, ['server', 'restore', remote, '--data-dir', away, ...json]),
      await parlance(t, ['server', 'verify', '--data-dir', away, ...json], {
        env: { BACKUP_REMOTE: remote.replace('{', '') },
      }),
    ]
    t.strictSame(
      rows.map(({ code }) => code),
      [1, 1, 1, 2, 2, 2, 2],
    )
    for (const { output, errors } of rows) {
      t.notMatch(output + errors, 'hidden-token', output + errors)
      if (json.length > 0) t.ok(JSON.parse(output))
    }
  }
  t.notOk(fs.existsSync(away))
})

t.test('an address that is none is answered with what one looks like', async t => {
  const dataDir = join(t.testdir(), 'data')
  const form = 'ssh://user@host/path, user@host:path or https://host/path, with {organization} in the path.'
  for (const from of ['git://127.0.0.1/{organization}.git', 'backups/{organization}.git']) {
    const { code, errors } = await parlance(t, ['server', 'restore', '--from', from, '--data-dir', dataDir])
    t.strictSame(
      [code, errors],
      [2, `parlance server restore: --from must be an absolute path, file:///path, ${form}\n`],
    )
  }
  const bare = 'https://hidden-token@example.com/{organization}.git'
  const { code, errors } = await parlance(t, ['server', 'restore', '--from', bare, '--data-dir', dataDir])
  t.equal(code, 2)
  t.match(errors, 'as in https://x:<token>@host/…')
  t.notMatch(errors, 'hidden-token')
})
