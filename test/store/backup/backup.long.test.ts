/** What befalls a backup: restarts, remotes of other kinds, locks, what ends it. */
import fs from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../../contract/server.ts'
import { noGit } from '../../http/git-client.ts'
import { commitCount, git } from '../git-cli.ts'
import { make, startRemote } from './http-remote.ts'
import { open } from './scene.ts'
import { standInForSsh } from './ssh-stand-in.ts'

if (noGit) t.bailout(noGit)

// Much of it waits for processes of git, which are slow to start on a busy machine.
t.setTimeout(0)

t.test('a slow remote holds up only itself', async t => {
  const root = t.testdir({ remote: {} })
  const remote = await startRemote(t, join(root, 'remote'))
  for (const id of ['acme', 'parlance-accounts']) make(join(root, 'remote'), id)
  let held = 0
  remote.behave = (request, response) => {
    if (request.method !== 'POST') return undefined
    held++
    return new Promise(resolve => response.on('close', resolve))
  }
  const { backup, put, close, store } = await open(t, remote.setting, { delays: { grace: 50 } })
  backup.start()
  await put('acme', 'x')
  t.ok(await eventually(() => held > 0))
  for (let i = 0; i < 20; i++) await put('acme', `y${i}`)
  t.equal(await store.readGit('acme', async gitDir => commitCount(gitDir)), 21, 'a clone need not wait either')
  t.equal(backup.status('acme').state, 'pending')
  const began = performance.now()
  await close()
  t.ok(performance.now() - began < 15_000, 'nor does the end of the server')
})

t.test('what was left behind is pushed after the next start; the rest is only asked about', async t => {
  const root = t.testdir({ remote: {} })
  const remote = await startRemote(t, join(root, 'remote'))
  const ids = ['acme', 'other', 'third', 'parlance-accounts']
  const paths = new Map(ids.map(id => [id, make(join(root, 'remote'), id)]))
  const first = await open(t, remote.setting)
  first.backup.start()
  for (const id of ['acme', 'other', 'third']) {
    await first.put(id, 'x')
    t.ok(await first.reaches(id, paths.get(id)!))
  }
  t.ok(await eventually(() => first.backup.status('parlance-accounts').lastSuccess !== null))
  await remote.away()
  const hourAgo = Date.now() - 3_600_000
  await first.put('acme', 'left behind')
  await first.close()
  await remote.back()
  git(first.folder('other'), 'tag', 'by-hand')

  const requests = remote.seen.length
  const second = await open(t, remote.setting, { dataDir: first.dataDir, word: first.word })
  const before = second.backup.status('acme')
  t.strictSame(before, { state: 'ok', lastSuccess: null, lag: 0 }, 'not looked at yet')
  second.backup.start()
  t.equal(second.backup.status('acme').state, 'pending', 'nor said to be well before it was')
  t.ok(await second.reaches('acme', paths.get('acme')!))
  t.ok(await eventually(() => git(paths.get('other')!, 'tag') === 'by-hand\n'))
  t.ok(second.backup.status('third').lastSuccess! > hourAgo, 'remembered')
  t.ok(await eventually(() => ['acme', 'other', 'third'].every(id => second.backup.status(id).state === 'ok')))
  const seen = remote.seen.slice(requests)
  const pushed = seen.filter(({ path }) => path.endsWith('/git-receive-pack'))
  t.strictSame([...new Set(pushed.map(({ path }) => path.split('/')[1]))].sort(), ['acme.git', 'other.git'])
  t.ok(
    seen.some(({ path }) => path.startsWith('/third.git')),
    'what was not left behind is asked about',
  )
})

t.test('an unreadable repository stops no other backup', async t => {
  const root = t.testdir()
  const first = await open(t, join(root, 'b', '{organization}'))
  for (const id of ['acme', 'other']) await first.put(id, 'x')
  await first.close()
  fs.renameSync(join(first.folder('acme'), '.git', 'parlance'), join(root, 'aside'))
  fs.writeFileSync(join(first.folder('acme'), '.git', 'parlance'), 'a file where a folder belongs')
  const second = await open(t, join(root, 'b', '{organization}'), { dataDir: first.dataDir })
  second.backup.start()
  t.ok(await eventually(() => second.backup.status('acme').state === 'failing'))
  t.ok(await second.reaches('other', join(root, 'b', 'other')))
})

t.test('another remote gets everything', async t => {
  const root = t.testdir()
  const first = await open(t, join(root, 'a', '{organization}'))
  first.backup.start()
  await first.put('acme', 'x')
  t.ok(await first.reaches('acme', join(root, 'a', 'acme')))
  await first.close()
  const second = await open(t, join(root, 'b', '{organization}'), { dataDir: first.dataDir })
  second.backup.start()
  t.ok(await second.reaches('acme', join(root, 'b', 'acme')))
  t.ok(await eventually(() => fs.existsSync(join(root, 'b', 'parlance-accounts'))))
})

t.test('a remote that went its own way is not overwritten; the others go on', async t => {
  const root = t.testdir()
  const { backup, put, reaches, head, lines } = await open(t, join(root, '{organization}.git'))
  backup.start()
  const path = join(root, 'acme.git')
  await put('acme', '1')
  t.ok(await reaches('acme', path))
  const ours = head(path)
  const theirs = git(
    path,
    '-c',
    'user.name=Eve',
    '-c',
    'user.email=eve@x',
    'commit-tree',
    '-m',
    'theirs',
    '-p',
    ours,
    `${ours}^{tree}`,
  ).trim()
  git(path, 'update-ref', 'refs/heads/main', theirs)
  await put('acme', '2')
  await put('other', 'o')
  t.ok(await eventually(() => backup.status('acme').state === 'diverged'))
  t.match(backup.status('acme').error, /Nothing there was overwritten/)
  t.equal(backup.troubled, true)
  t.ok(await reaches('other', join(root, 'other.git')))
  await pause(300)
  t.equal(head(path), theirs)
  t.equal(lines.filter(([, text]) => /Nothing there was overwritten/.test(text)).length, 1, 'said once')
  git(path, 'update-ref', 'refs/heads/main', ours)
  t.ok(await reaches('acme', path), 'and by itself again when it is mended')
  t.equal(backup.troubled, false)
})

t.test('an organization that is removed is left alone, here and there', async t => {
  const root = t.testdir({ remote: {} })
  const remote = await startRemote(t, join(root, 'remote'))
  for (const id of ['acme', 'parlance-accounts']) make(join(root, 'remote'), id)
  let held = 0
  remote.behave = (request, response) => {
    if (request.method !== 'POST' || !request.url!.startsWith('/acme')) return undefined
    held++
    return new Promise(resolve => response.on('close', resolve))
  }
  const { backup, put, store, folder } = await open(t, remote.setting)
  backup.start()
  await put('acme', 'x')
  t.ok(await eventually(() => held > 0))
  await put('acme', 'y')
  await backup.forget('acme')
  await store.remove('acme')
  backup.changed('acme')
  const requests = remote.seen.filter(({ path }) => path.startsWith('/acme')).length
  await pause(400)
  t.equal(remote.seen.filter(({ path }) => path.startsWith('/acme')).length, requests)
  t.notOk(fs.existsSync(folder('acme')), 'and no empty one was created in its place')
  t.ok(await eventually(() => backup.metrics().lag === 0), 'once the accounts are there')
  t.strictSame(backup.status('acme'), { state: 'ok', lastSuccess: null, lag: 0 })
})

t.test('everything at once, for a process that does nothing else', async t => {
  const root = t.testdir({ acme: 'in the way' })
  const first = await open(t, join(root, '{organization}'))
  for (const id of ['acme', 'other']) await first.put(id, 'x')
  await first.store.readGit('idle', async () => {})
  const told: string[] = []
  const results = await first.backup.pushAll(({ id }) => void told.push(id))
  t.match(results, [
    { id: 'acme', state: 'failing', error: /something that is no git repository/ },
    { id: 'other', state: 'ok' },
    { id: 'idle', state: 'empty' },
    { id: 'parlance-accounts', state: 'ok' },
  ])
  t.strictSame(told.sort(), results.map(({ id }) => id).sort())
  fs.rmSync(join(root, 'acme'))
  t.match((await first.backup.pushAll())[0], { id: 'acme', state: 'ok' })
  fs.rmSync(join(root, 'other'), { recursive: true })
  t.match((await first.backup.pushAll())[1], { id: 'other', state: 'ok' }, 'also what the remote lost')
  t.ok(fs.existsSync(join(root, 'other', 'HEAD')))
})

t.test(
  'a push under way, which may fail for what was so before, does not answer for one that is asked for now',
  async t => {
    const root = t.testdir({ remote: {} })
    const remote = await startRemote(t, join(root, 'remote'))
    for (const id of ['acme', 'parlance-accounts']) make(join(root, 'remote'), id)
    let away: ServerResponse | undefined
    remote.behave = (request, response) =>
      request.url!.startsWith('/acme')
        ? new Promise(resolve => response.on('close', resolve) && (away = response))
        : undefined
    const { backup, put } = await open(t, remote.setting, {
      delays: { settle: 60_000, firstRetry: 60_000, lastRetry: 60_000 },
    })
    await put('acme', 'x')
    const before = backup.pushAll()
    t.ok(await eventually(() => away !== undefined))
    const now = backup.pushAll()
    remote.behave = () => {}
    away?.writeHead(500).end()
    t.match((await before)[0], { id: 'acme', state: 'failing' })
    t.match((await now)[0], { id: 'acme', state: 'ok' })
  },
)

t.test('tags that come and go while git pushes end as they are here', async t => {
  const root = t.testdir()
  const path = join(root, 'acme.git')
  for (const name of ['acme', 'parlance-accounts'])
    git('/', 'init', '-q', '--bare', '-b', 'main', join(root, `${name}.git`))
  const { backup, put, reaches, folder } = await open(t, standInForSsh(t, root)(root))
  backup.start()
  await put('acme', 'x')
  t.ok(await reaches('acme', path))
  const hook = join(path, 'hooks', 'update')
  fs.mkdirSync(join(path, 'hooks'), { recursive: true })
  // While the first push is under way, a tag comes and goes; the second push begins after that.
  const main = git(folder('acme'), 'rev-parse', 'main').trim()
  fs.writeFileSync(
    hook,
    `#!/bin/sh\nunset $(git rev-parse --local-env-vars)\ngit -C '${folder('acme')}' tag during ${main}\necho done > '${root}/done'\n`,
    { mode: 0o755 },
  )
  await put('acme', 'y')
  t.ok(await eventually(() => fs.existsSync(join(root, 'done'))))
  t.ok(await eventually(() => git(path, 'tag') === 'during\n'), 'without any notice of it')
  fs.rmSync(hook)
  git(folder('acme'), 'tag', '-d', 'during')
  await put('acme', 'z')
  t.ok(await reaches('acme', path))
  t.equal(git(path, 'tag'), '')
})

t.test('a push that is ended leaves no lock at the remote; one that another git left is reported', async t => {
  const root = t.testdir()
  const path = join(root, 'acme.git')
  for (const name of ['acme', 'parlance-accounts'])
    git('/', 'init', '-q', '--bare', '-b', 'main', join(root, `${name}.git`))
  const first = await open(t, standInForSsh(t, root)(root), { delays: { grace: 0 } })
  first.backup.start()
  await first.put('acme', 'x')
  t.ok(await first.reaches('acme', path))
  const hook = join(path, 'hooks', 'reference-transaction')
  fs.mkdirSync(join(path, 'hooks'), { recursive: true })
  fs.writeFileSync(hook, `#!/bin/sh\ntest "$1" = prepared && touch '${root}/holding' && sleep 60\nexit 0\n`, {
    mode: 0o755,
  })
  await first.put('acme', 'y')
  t.ok(await eventually(() => fs.existsSync(join(root, 'holding'))))
  const locks = () => fs.readdirSync(path, { recursive: true }).filter(name => String(name).endsWith('.lock'))
  t.ok(locks().includes('refs/heads/main.lock'), 'the push is in the middle of it')
  await first.close()
  t.strictSame(locks(), [])
  fs.rmSync(hook)

  fs.writeFileSync(join(path, 'refs', 'heads', 'main.lock'), '')
  const second = await open(t, join(root, '{organization}.git'), { dataDir: first.dataDir })
  second.backup.start()
  t.ok(await eventually(() => second.backup.status('acme').state === 'failing'))
  t.match(second.backup.status('acme').error, /^A lock is left in the repository of acme at the backup remote/)
  t.ok(
    second.lines.some(([data]) => JSON.stringify(data).includes('main.lock')),
    'the log names it',
  )
  fs.rmSync(join(path, 'refs', 'heads', 'main.lock'))
  t.ok(await second.reaches('acme', path))
})
