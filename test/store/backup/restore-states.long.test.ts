import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import { type RestoreOptions, restoreDataFolder } from '../../../src/store/backup/restore.ts'
import { eventually, startServer } from '../../contract/server.ts'
import { noGit } from '../../http/git-client.ts'
import { fsck, git } from '../git-cli.ts'
import { backedUp, everything, fill, QUICK, signIn, startFirst } from './restoring.ts'

if (noGit) t.bailout(noGit)

// Much of it waits for processes of git, which are slow to start on a busy machine.
t.setTimeout(0)

t.test('a lost data folder comes back: the same bytes, tags and revisions, the same people', async t => {
  const { root, remote, setting, env, first } = await startFirst(t)
  const acme = await first.organization('Ann')
  const mia = await first.join(acme, 'Mia', 'member')
  const reader = (await first.mint(acme.owner, 'reader', 'read')).key
  const other = await first.organization('Otto')
  const idle = await first.organization('Ida')
  await fill(first, acme, 'Ąćme')
  await fill(first, other, 'Other')
  await backedUp(first, remote, acme.id, other.id)
  const before = [await everything(first, acme), await everything(first, other)]
  const revisions = [acme.id, other.id].map(id => first.git(id, 'log', '--format=%H %an %s'))
  t.ok(await eventually(() => accountsSettled(remote, idle.id)))
  await first.close()
  fs.rmSync(join(root, 'first'), { recursive: true })

  const dataDir = join(root, 'second', 'data')
  const restored = await restoreDataFolder({ remote: BackupRemote.parse(setting, '--from'), dataDir })
  t.strictSame(
    restored.organizations.map(({ id, revision }) => [id, revision]),
    [acme.id, other.id, idle.id]
      .sort()
      .map(id => [id, id === idle.id ? null : git(join(remote, `${id}.git`), 'rev-parse', 'main').trim()]),
  )
  t.strictSame(fs.readdirSync(dataDir).sort(), ['backup', 'lock', 'organizations', 'parlance.sqlite', 'version'])
  t.equal(fs.statSync(join(dataDir, 'parlance.sqlite')).mode & 0o777, 0o600)
  for (const { id } of [acme, other]) {
    const folder = join(dataDir, 'organizations', id)
    t.equal(fsck(folder), '')
    t.equal(git(folder, 'status', '--porcelain'), '', 'the work tree is HEAD')
  }

  const second = await startServer(t, { dataDir, env, backupDelays: QUICK })
  t.strictSame([await everything(second, acme), await everything(second, other)], before)
  t.equal((await second.get('/api/projects', reader)).status, 200)
  t.equal((await second.put('/api/projects/web/bundles/en/common', reader, {})).status, 403, 'of its old scope')
  for (const { user, password } of [acme.owner, mia]) {
    const reply = await second.signIn(user.email, password, { origin: second.origin })
    t.equal(reply.status, 200, `${user.name} signs in with the old password`)
  }
  const session = await signIn(second, mia.user.email, mia.password)
  t.equal((await second.call('GET', '/api/projects/web', { as: session })).status, 200, 'and is still a member')
  t.equal((await second.call('GET', '/api/projects', { as: acme.owner })).status, 401, 'the old session is gone')

  await second.must('PUT', '/api/projects/web/bundles/en/common', { key: acme.key, body: { later: 'x' } })
  await backedUp(second, remote, acme.id)
  t.strictSame(
    [acme.id, other.id]
      .map(id => second.git(id, 'log', '--format=%H %an %s'))
      .map((log, index) => log.endsWith(revisions[index]!)),
    [true, true],
    'the history goes on where it was, and so does its backup',
  )
  t.equal(second.git(other.id, 'log', '--format=%H %an %s'), revisions[1], 'no commit beside these')
  t.strictSame((await second.get('/api/projects', idle.key)).json, { projects: [] })
})

/** A remote with the backup of a server that is gone: two organizations with translations, one without. */
async function lost(t: Test) {
  const { root, remote, setting, first: server } = await startFirst(t)
  const [acme, other] = [await server.organization('Ann'), await server.organization('Otto')]
  const idle = await server.organization('Ida')
  for (const { key } of [acme, other]) await server.project(key, 'web')
  await backedUp(server, remote, acme.id, other.id)
  t.ok(await eventually(() => accountsSettled(remote, idle.id)))
  await server.close()
  const restore = (options: Partial<RestoreOptions> = {}) =>
    restoreDataFolder({ remote: BackupRemote.parse(setting, '--from'), dataDir: join(root, 'new'), ...options })
  return { root, remote, acme, other, idle, restore }
}

t.test('all or nothing: after a failure nothing is left, and the next try works', async t => {
  const { root, remote, acme, other, restore } = await lost(t)
  const empty = () => t.notOk(fs.existsSync(join(root, 'new')), 'nothing is left')
  const path = (id: string) => join(remote, `${id}.git`)

  fs.renameSync(path(other.id), join(remote, 'aside'))
  await t.rejects(restore(), { code: 'not-found', message: new RegExp(`no repository for ${other.id}`) })
  empty()
  fs.renameSync(join(remote, 'aside'), path(other.id))

  const accounts = path('parlance-accounts')
  fs.renameSync(accounts, join(remote, 'aside'))
  await t.rejects(restore(), { code: 'not-found', message: /no repository for parlance-accounts/ })
  empty()
  git('/', 'init', '-q', '--bare', '-b', 'main', accounts)
  await t.rejects(restore(), { code: 'not-found' }, 'an empty one is as good as none')
  empty()
  git(accounts, 'fetch', '-q', path(acme.id), 'main:main')
  await t.rejects(restore(), { code: 'unavailable', message: /lacks manifest\.json/ })
  empty()
  fs.rmSync(accounts, { recursive: true })
  fs.renameSync(join(remote, 'aside'), accounts)

  const objects = join(path(acme.id), 'objects')
  fs.cpSync(objects, join(root, 'objects'), { recursive: true })
  const blob = git(path(acme.id), 'rev-parse', 'main:web/project.json').trim()
  fs.rmSync(join(objects, blob.slice(0, 2), blob.slice(2)))
  await t.rejects(restore(), { code: 'unavailable' })
  empty()
  fs.rmSync(objects, { recursive: true })
  fs.renameSync(join(root, 'objects'), objects)

  await t.rejects(restore({ signal: AbortSignal.abort() }))
  empty()
  const stop = new AbortController()
  await t.rejects(restore({ signal: stop.signal, progress: () => stop.abort() }))
  empty()

  fs.mkdirSync(join(root, 'new'))
  fs.writeFileSync(join(root, 'new', '.gitignore'), '*')
  fs.mkdirSync(join(root, 'new', 'restoring', 'organizations', 'half'), { recursive: true })
  const seen: [string, number, number][] = []
  const restored = await restore({ progress: ({ id }, done, of) => void seen.push([id, done, of]) })
  t.equal(restored.organizations.length, 3, 'also over what a killed restore left')
  t.strictSame(
    seen.map(([, done, of]) => [done, of]),
    [
      [1, 3],
      [2, 3],
      [3, 3],
    ],
  )
  t.match(restored.accountsAt, /^20/)
  t.strictSame(fs.readdirSync(join(root, 'new')).sort(), [
    '.gitignore',
    'backup',
    'lock',
    'organizations',
    'parlance.sqlite',
    'version',
  ])
})

t.test('a folder that holds anything is left as it is', async t => {
  const { root, restore } = await lost(t)
  const dataDir = join(root, 'first')
  const before = fs.readdirSync(dataDir, { recursive: true }).sort()
  await t.rejects(restore({ dataDir }), { code: 'conflict', message: /is not empty/ })
  t.strictSame(fs.readdirSync(dataDir, { recursive: true }).sort(), before)
  const server = await startServer(t, { dataDir: join(root, 'busy') })
  await t.rejects(restore({ dataDir: join(root, 'busy') }), { code: 'unavailable', message: /in use/ })
  t.equal((await server.get('/api/health')).status, 200)
  fs.writeFileSync(join(root, 'file'), '')
  await t.rejects(restore({ dataDir: join(root, 'file') }), { code: 'EEXIST' })
})

t.test('what the accounts say is judged before it becomes a path', async t => {
  const { root, remote, restore } = await lost(t)
  const accounts = join(remote, 'parlance-accounts.git')
  const manifest = JSON.parse(git(accounts, 'show', 'main:manifest.json'))
  const forge = (change: object) => {
    const work = join(root, 'forge')
    fs.rmSync(work, { recursive: true, force: true })
    git('/', 'clone', '-q', accounts, work)
    fs.writeFileSync(join(work, 'manifest.json'), JSON.stringify({ ...manifest, ...change }))
    git(work, '-c', 'user.name=E', '-c', 'user.email=e@x', 'commit', '-qam', 'forged')
    git(work, 'push', '-q')
  }
  forge({ organizations: ['../../escaped'] })
  await t.rejects(restore(), { code: 'invalid' })
  forge({ format: 2 })
  await t.rejects(restore(), { code: 'unavailable', message: /newer Parlance/ })
  forge({ dataVersion: 2 })
  await t.rejects(restore(), { code: 'unavailable', message: /newer Parlance \(version 2, this one knows 1\)/ })
  t.strictSame(
    fs.readdirSync(root).filter(name => name === 'escaped' || name === 'new'),
    [],
  )
})

function accountsSettled(remote: string, id: string): boolean {
  try {
    return git(join(remote, 'parlance-accounts.git'), 'show', 'main:manifest.json').includes(id)
  } catch {
    return false
  }
}
