import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Remote } from '../../../src/remote.ts'
import { type RestoreOptions, restoreDataFolder } from '../../../src/store/backup/restore.ts'
import { eventually, type Organization, type Server, startServer } from '../../contract/server.ts'
import { noGit } from '../../http/git-client.ts'
import { fsck, git } from '../git-cli.ts'

if (noGit) t.bailout(noGit)
// Much of it waits for processes of git, which are slow to start on a busy machine.
t.setTimeout(300_000)

const QUICK = { settle: 30, latest: 200, firstRetry: 50, lastRetry: 200, accounts: 30 }

/** Starts a server that is backed up; `setting` says where to, and `env` is that for the next server. */
async function startFirst(t: Test) {
  const root = t.testdir()
  const remote = join(root, 'remote')
  const setting = join(remote, '{organization}.git')
  const env = { BACKUP_REMOTE: setting }
  const first = await startServer(t, { dataDir: join(root, 'first'), env, backupDelays: QUICK })
  return { root, remote, setting, env, first }
}

/** Waits until the remote has the organization's last commit, and an accounts' backup that knows of it. */
async function backedUp(server: Server, remote: string, ...ids: string[]): Promise<void> {
  const main = (gitDir: string) => fs.readFileSync(join(gitDir, 'refs/heads/main'), 'utf8')
  // From the files, as git would take more processor time at each look than the rest of the tests.
  const arrived = (id: string) => main(join(remote, `${id}.git`)) === main(join(server.repository(id), '.git'))
  const is = async () => {
    try {
      if (!ids.every(arrived)) return false
      const manifest = JSON.parse(git(join(remote, 'parlance-accounts.git'), 'show', 'main:manifest.json'))
      return ids.every(id => manifest.organizations.includes(id) && !manifest.empty.includes(id))
    } catch {
      return false
    }
  }
  if (!(await eventually(is))) throw new Error('nothing was backed up')
}

/** Every read that an app makes, with its tag. */
async function everything(server: Server, { key }: Organization): Promise<[string, unknown, string][]> {
  const answers: [string, unknown, string][] = []
  const see = async (path: string) => {
    const reply = await server.get(path, key)
    answers.push([path, reply.headers.etag, reply.text])
    return reply.json
  }
  for (const { slug } of (await see('/api/projects')).projects) {
    const { languages, namespaces } = await see(`/api/projects/${slug}`)
    for (const language of languages) {
      await see(`/api/projects/${slug}/bundles/${language}`)
      for (const namespace of namespaces) await see(`/api/projects/${slug}/bundles/${language}/${namespace}`)
    }
  }
  return answers
}

async function fill(server: Server, { key }: Organization, text: string): Promise<void> {
  await server.project(key, 'web')
  await server.project(key, 'app', 'de', 'i18next-json-flat')
  for (const language of ['en', 'de', 'pl']) {
    for (const namespace of ['common', 'shop']) {
      const body = { nav: { home: `${text} ${language}` }, item_one: '1', item_other: `${namespace}\r\n` }
      await server.must('PUT', `/api/projects/web/bundles/${language}/${namespace}`, { key, body })
    }
  }
  await server.must('PUT', '/api/projects/app/bundles/de/main', { key, body: { 'a.b': text } })
  await server.must('DELETE', '/api/projects/web/bundles/pl/shop', { key })
}

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
  const restored = await restoreDataFolder({ remote: Remote.parse(setting, '--from'), dataDir })
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
  t.equal(second.git(other.id, 'log', '--format=%H %an %s'), revisions[1], 'no commit that nobody asked for')
  t.strictSame((await second.get('/api/projects', idle.key)).json, { projects: [] })
})

t.test('releases come back too, the deleted ones as such', async t => {
  const { root, remote, setting, first } = await startFirst(t)
  const acme = await first.organization('Ann')
  await fill(first, acme, 'old')
  const release = (server: Server, name: string) =>
    server.call('POST', '/api/projects/web/releases', { key: acme.key, body: { name } })
  for (const name of ['1.0', 'gone']) t.equal((await release(first, name)).status, 201)
  const path = '/api/projects/web/bundles/en/common'
  const then = (await first.get(path, acme.key)).headers.etag
  const revision = first.git(acme.id, 'rev-parse', 'web/1.0^{}').trim()
  await first.must('PUT', path, { key: acme.key, body: { nav: { home: 'new' } } })
  const copy = join(remote, `${acme.id}.git`)
  t.ok(await eventually(() => fs.existsSync(copy) && git(copy, 'tag') === 'web/1.0\nweb/gone\n', 20_000))
  await first.must('DELETE', '/api/projects/web/releases/gone', { key: acme.key })
  t.ok(await eventually(() => git(copy, 'tag') === 'web/1.0\n', 20_000))
  await backedUp(first, remote, acme.id)
  const list = (await first.get('/api/projects/web/releases', acme.key)).text
  await first.close()

  const dataDir = join(root, 'second')
  const restored = await restoreDataFolder({ remote: Remote.parse(setting, '--from'), dataDir })
  t.match(restored.organizations, [{ id: acme.id, tags: 1 }])
  const second = await startServer(t, { dataDir })
  t.equal((await second.get('/api/projects/web/releases', acme.key)).text, list)
  for (const at of ['1.0', revision, 'web/1.0']) {
    const reply = await second.get(`${path}?at=${at}`, acme.key)
    t.strictSame([reply.status, reply.headers.etag], [200, then], at)
  }
  t.not((await second.get(path, acme.key)).headers.etag, then)
  t.equal((await second.get(`${path}?at=gone`, acme.key)).status, 404)
  t.equal((await release(second, 'gone')).status, 409, 'its name stays taken')
})

t.test('once it says ok, everything up to the last write comes back, whoever made it', async t => {
  const { root, first: server } = await startFirst(t)
  const acme = await server.organization('Ann')
  await server.project(acme.key, 'web')
  const health = async () => (await server.call('GET', '/api/health', { as: acme.owner })).json.backup
  for (let round = 0; round < 4; round++) {
    const { key } = await server.mint(acme.owner, `round ${round}`)
    const mia = await server.join(acme, `Mia${round}`, 'member')
    await server.must('PUT', '/api/projects/web/bundles/en/common', {
      key,
      body: { round: `${round} ${'x'.repeat(round)}` },
    })
    const there = (await server.get('/api/projects/web/bundles/en/common', key)).headers.etag
    const waited = Date.now()
    t.ok(
      await eventually(async () => {
        const { state, lastSuccess } = await health()
        return state === 'ok' && lastSuccess !== null && Date.parse(lastSuccess) > waited - 10_000 && pushed(there)
      }, 30_000),
    )
    function pushed(etag: unknown) {
      try {
        return (
          etag ===
          `W/"${git(join(root, 'remote', `${acme.id}.git`), 'rev-parse', 'main:web/locales/en/common.json').trim()}"`
        )
      } catch {
        return false
      }
    }
    const copy = join(root, `copy${round}`)
    fs.cpSync(join(root, 'remote'), copy, { recursive: true })
    const dataDir = join(root, `restored${round}`)
    await restoreDataFolder({ remote: Remote.parse(join(copy, '{organization}.git'), '--from'), dataDir })
    const restored = await startServer(t, { dataDir })
    t.equal(
      (await restored.get('/api/projects/web/bundles/en/common', key)).headers.etag,
      there,
      `round ${round}: the new token`,
    )
    const session = await signIn(restored, mia.user.email, mia.password)
    t.equal((await restored.call('GET', '/api/projects/web', { as: session })).status, 200, 'the new member')
    await restored.close()
  }
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
    restoreDataFolder({ remote: Remote.parse(setting, '--from'), dataDir: join(root, 'new'), ...options })
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

async function signIn(server: Server, email: string, password: string) {
  const session = await server.signUp('Nobody')
  session.cookies.clear()
  session.keep((await server.signIn(email, password, { origin: server.origin })).headers)
  return session
}

function accountsSettled(remote: string, id: string): boolean {
  try {
    return git(join(remote, 'parlance-accounts.git'), 'show', 'main:manifest.json').includes(id)
  } catch {
    return false
  }
}
