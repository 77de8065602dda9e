import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../../contract/server.ts'
import { noGit } from '../../http/git-client.ts'
import { commitCount, fsck, git } from '../git-cli.ts'
import { make, startRemote } from './http-remote.ts'
import { open, Word } from './scene.ts'

if (noGit) t.bailout(noGit)

// Much of it waits for processes of git, which are slow to start on a busy machine.
t.setTimeout(0)

t.test('what is written is pushed, each organization to its own repository', async t => {
  const root = t.testdir()
  const { store, backup, put, reaches, head } = await open(t, join(root, 'backups', '{organization}.git'))
  backup.start()
  const path = (id: string) => join(root, 'backups', `${id}.git`)
  await put('acme', 'from acme')
  t.equal(backup.status('acme').state, 'pending', 'from the acknowledgement on')
  await put('other', 'from other')
  t.ok(await reaches('acme', path('acme')))
  t.ok(await reaches('other', path('other')))
  for (const [id, not] of [
    ['acme', 'other'],
    ['other', 'acme'],
  ] as const) {
    t.equal(git(path(id), 'log', '--format=%s'), `from ${id}\n`)
    t.throws(() => git(path(id), 'cat-file', '-e', head(path(not))), 'no object of the other')
    t.equal(fsck(path(id)), '')
    t.equal(fs.statSync(path(id)).mode & 0o777, 0o700)
  }
  for (let i = 0; i < 50; i++) await put('acme', `write ${i}`)
  t.ok(await reaches('acme', path('acme')))
  t.equal(commitCount(path('acme')), 51)
  const { lastSuccess, lag } = backup.status('acme')
  t.ok(Math.abs(Date.now() - lastSuccess!) < 60_000)
  t.equal(lag, 0)
  t.match(backup.metrics(), { lag: 0, failures: 0, lastSuccess: Number })
  t.strictSame(backup.status('unknown'), { state: 'ok', lastSuccess: null, lag: 0 })
  t.equal(backup.troubled, false)
  t.strictSame(store.status().problems, [])
})

t.test('a remote that is away is tried until it is back; writes go on and none of them waits', async t => {
  const root = t.testdir({ remote: {} })
  const remote = await startRemote(t, join(root, 'remote'))
  const path = make(join(root, 'remote'), 'acme')
  make(join(root, 'remote'), 'parlance-accounts')
  const { backup, put, reaches, lines, close } = await open(t, remote.setting, {
    delays: { trouble: 600, firstRetry: 200, lastRetry: 400 },
  })
  backup.start()
  const write = async (rounds: number) => {
    const began = performance.now()
    for (let i = 0; i < rounds; i++) await put('acme', `${began} ${i}`)
    return (performance.now() - began) / rounds
  }
  await write(50)
  t.ok(await reaches('acme', path))
  const normal = await write(200)
  await remote.away()
  await put('acme', 'while it is away')
  t.ok(await eventually(() => backup.status('acme').state === 'failing'))
  const meanwhile = await write(200)
  // Both are about a millisecond; a write that waited for a push would last hundreds.
  t.ok(meanwhile < 20 * normal, `${meanwhile} ms a write, ${normal} when all is well`)
  t.equal(backup.status('acme').error, 'The backup remote cannot be reached.')
  t.ok(await eventually(() => backup.troubled))
  const { lag } = backup.status('acme')
  t.ok(lag > 0.6 && backup.metrics().lag >= lag)
  t.ok(await eventually(() => backup.metrics().failures > 1))
  await remote.back()
  t.ok(await reaches('acme', path))
  t.match(backup.status('acme'), { state: 'ok', lag: 0, error: undefined })
  t.ok(await eventually(() => !backup.troubled))
  t.equal(fsck(path), '')
  await close()
  const texts = lines.map(([, text]) => text)
  t.ok(texts.includes('the backup works again'))
})

t.test('after a crash, what is only in the journal is pushed too', async t => {
  const root = t.testdir()
  const first = await open(t, join(root, 'b', '{organization}'))
  first.backup.start()
  await first.put('acme', 'pushed')
  t.ok(await first.reaches('acme', join(root, 'b', 'acme')))
  await first.put('acme', 'acknowledged')
  const copy = join(root, 'copy')
  fs.cpSync(first.dataDir, copy, { recursive: true })
  await first.close()
  fs.rmSync(join(root, 'b'), { recursive: true })
  fs.mkdirSync(join(root, 'b'))
  const second = await open(t, join(root, 'b', '{organization}'), { dataDir: copy })
  second.backup.start()
  t.ok(
    await eventually(() => fs.existsSync(join(root, 'b', 'acme', 'HEAD'))),
    'no client had asked for the organization',
  )
  t.ok(await second.reaches('acme', join(root, 'b', 'acme')))
  t.equal(git(join(root, 'b', 'acme'), 'log', '--format=%s'), 'acknowledged\npushed\n')
})

t.test('the lag survives a restart: it is as old as the oldest commit that is missing there', async t => {
  const root = t.testdir({ blocked: 'a file where the remote belongs' })
  const setting = join(root, 'blocked', '{organization}')
  let now = Date.now() - 7_200_000
  const first = await open(t, setting, { now: () => now })
  await first.put('acme', 'two hours ago')
  now += 3_600_000
  await first.put('acme', 'one hour ago')
  await first.close()
  const second = await open(t, setting, { dataDir: first.dataDir })
  second.backup.start()
  t.ok(await eventually(() => second.backup.status('acme').state === 'failing'))
  const { lag, error } = second.backup.status('acme')
  t.ok(lag >= 7200 && lag < 7300, String(lag))
  t.match(error, /^Where the backup of (acme|parlance-accounts) belongs is something/)
  t.notMatch(error, root, 'no path of the machine')
})

t.test('the accounts are committed when they say something new, and pushed like the rest', async t => {
  const root = t.testdir()
  const word = new Word('one')
  const { backup, put, dataDir } = await open(t, join(root, '{organization}.git'), { word })
  word.organizations = ['acme', 'idle']
  backup.start()
  const path = join(root, 'parlance-accounts.git')
  const database = () => {
    try {
      return git(path, 'show', 'main:parlance.sqlite')
    } catch {
      return ''
    }
  }
  const manifest = () => JSON.parse(git(path, 'show', 'main:manifest.json'))
  t.ok(await eventually(() => database() === 'one'))
  t.match(manifest(), {
    format: 1,
    createdAt: /^20.*Z$/,
    digest: 'one',
    organizations: ['acme', 'idle'],
    empty: ['acme', 'idle'],
  })
  t.equal(fs.statSync(join(dataDir, 'backup')).mode & 0o777, 0o700)
  word.say('two')
  t.ok(await eventually(() => database() === 'two'))
  const { snapshots } = word
  word.say('two')
  t.ok(await eventually(() => word.snapshots > snapshots))
  await pause(100)
  t.equal(commitCount(path), 2, 'nothing new')
  await put('acme', 'x')
  t.ok(await eventually(() => manifest().empty.join() === 'idle'), 'it says what the remote has')
  t.equal(commitCount(path), 3)
  t.equal(database(), 'two')
  t.equal(fsck(path), '')
  const left = () => fs.readdirSync(join(dataDir, 'backup')).join()
  t.ok(await eventually(() => left() === 'accounts.git'), 'no copy of the database is left about')
})

t.test('a snapshot that fails is reported, and repeated later', async t => {
  const root = t.testdir()
  const word = new Word()
  const make = word.snapshot.bind(word)
  word.snapshot = () => Promise.reject(new Error('disk'))
  const { backup } = await open(t, join(root, '{organization}'), { word })
  backup.start()
  const status = () => backup.status('parlance-accounts')
  t.ok(await eventually(() => status().state === 'failing'))
  t.equal(status().error, 'A snapshot of the accounts failed.')
  word.snapshot = make
  t.ok(await eventually(() => status().state === 'ok' && status().lastSuccess !== null))
})

t.test('what is ended before it is through has not succeeded', async t => {
  const root = t.testdir({ remote: {} })
  const remote = await startRemote(t, join(root, 'remote'))
  for (const id of ['acme', 'other', 'third', 'parlance-accounts']) make(join(root, 'remote'), id)
  remote.behave = (request, response) =>
    request.method === 'POST' ? new Promise(resolve => response.on('close', resolve)) : undefined
  const { backup, put } = await open(t, remote.setting, { delays: { settle: 60_000, grace: 0 } })
  for (const id of ['acme', 'other', 'third']) await put(id, 'x')
  const pushing = backup.pushAll()
  t.ok(await eventually(() => remote.seen.some(({ method }) => method === 'POST')))
  await backup.close()
  const ended = { state: 'failing', error: 'It was ended before it was through.' }
  t.match(await pushing, [ended, ended, ended, ended])
})

t.test('a remote in or around the data folder is refused, links seen through', async t => {
  const root = t.testdir()
  const dataDir = join(root, 'data')
  fs.mkdirSync(dataDir)
  fs.symlinkSync(dataDir, join(root, 'link'))
  const inside = [
    'data/{organization}',
    'data/x/y/{organization}',
    'link/{organization}',
    'link/new/{organization}.git',
  ]
  for (const path of inside) {
    const opening = open(t, join(root, path), { dataDir })
    await t.rejects(opening, { code: 'invalid', message: /lies in the data folder/ }, path)
  }
  const around = join(root, 'parlance-accounts', 'data')
  await t.rejects(open(t, join(root, '{organization}'), { dataDir: around }), { code: 'invalid' })
  await (await open(t, join(root, 'data-beside', '{organization}'), { dataDir })).close()
})
