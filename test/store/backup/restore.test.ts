import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Remote } from '../../../src/remote.ts'
import { restoreDataFolder } from '../../../src/store/backup/restore.ts'
import { eventually, type Organization, type Server, startServer } from '../../contract/server.ts'
import { noGit } from '../../http/git-client.ts'
import { fsck, git } from '../git-cli.ts'

if (noGit) t.bailout(noGit)

const QUICK = { settle: 30, latest: 200, firstRetry: 50, lastRetry: 200, accounts: 30 }

/** Where a test's data and remote lie, removed after the servers are closed. */
function place(t: Test): string {
  t.teardown(() => {})
  return t.testdir()
}

/** Waits until the remote has the organization's last commit, and an accounts' backup that knows of it. */
async function backedUp(server: Server, remote: string, ...ids: string[]): Promise<void> {
  const is = async () => {
    try {
      const manifest = JSON.parse(git(join(remote, 'parlance-accounts.git'), 'show', 'main:manifest.json'))
      return ids.every(id => {
        const there = git(join(remote, `${id}.git`), 'rev-parse', 'main')
        return (
          manifest.organizations.includes(id) &&
          !manifest.empty.includes(id) &&
          there === server.git(id, 'rev-parse', 'main')
        )
      })
    } catch {
      return false
    }
  }
  if (!(await eventually(is, 30_000))) throw new Error('nothing was backed up')
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
  const root = place(t)
  const remote = join(root, 'remote')
  const setting = join(remote, '{organization}.git')
  const env = { BACKUP_REMOTE: setting }
  const first = await startServer(t, { dataDir: join(root, 'first'), env, backupDelays: QUICK })
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
  t.strictSame(fs.readdirSync(dataDir).sort(), ['backup', 'lock', 'organizations', 'parlance.sqlite'])
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
