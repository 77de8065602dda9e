// It restores what it changes, so it shares its process (test/groups.mjs).
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { gitProcesses } from '../../../src/store/git/git.ts'
import { UploadPack, type UploadRequest } from '../../../src/store/git/upload-pack.ts'
import { Store, type StoreOptions } from '../../../src/store/store.ts'
import { eventually } from '../../contract/server.ts'
import { newFolder } from '../../new-folder.ts'
import { git } from '../git-cli.ts'
import { bytesWritten, noProcesses, processesIn } from '../git-processes.ts'
import { slowGit } from '../slow-git.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }

async function openStore(t: Test, options: Partial<StoreOptions> = {}) {
  const directory = join(t.testdir(), 'organizations')
  const store = await Store.open({ watch: false, directory, ...options })
  t.teardown(() => store.close())
  const put = (path: string, bytes: Buffer) =>
    store.write('acme', ANN, tx => ({ result: tx.put(path, bytes), message: { subject: `put ${path}` } }))
  return { store, put, gitDir: join(directory, 'acme', '.git'), workTree: join(directory, 'acme') }
}

const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line

/** Asks for a commit and all that it leads to (gitprotocol-v2). */
const fetchAll = (commit: string) =>
  Buffer.from(`${packet('command=fetch\n')}0001${packet(`want ${commit}\n`)}${packet('done\n')}0000`)

const advertise = (): UploadRequest => ({ body: null, protocol: 2, signal: new AbortController().signal })

async function text(output: Readable): Promise<string> {
  let all = ''
  for await (const part of output) all += part
  return all
}

/** A repository with 10 MB that do not compress, and readers of it that wait for their start. */
async function openLarge(t: Test, processes: number) {
  const opened = await openStore(t)
  let head = ''
  for (const name of ['a', 'b', 'c', 'd', 'e']) head = (await opened.put(name, randomBytes(2 ** 21))).revision!
  const warnings: unknown[] = []
  const note = (data: object) => void warnings.push(data)
  const uploads = new UploadPack({ processes, log: { info: note, warn: note, error: note } })
  const read = () => {
    const left = new AbortController()
    const request: UploadRequest = { body: fetchAll(head), protocol: 2, signal: left.signal }
    let output: Readable | undefined
    const through = uploads.answer(
      request,
      use => opened.store.readGit('acme', use),
      stream => (output = stream),
    )
    through.catch(() => {})
    return { left, through, output: () => output }
  }
  return { ...opened, uploads, read, warnings }
}

t.test('the advertisement holds what was acknowledged a moment before', async t => {
  const { store, put } = await openStore(t)
  const uploads = new UploadPack({ processes: 1, log: { info() {}, warn() {}, error() {} } })
  for (let n = 0; n < 5; n++) {
    const { revision } = await put('a', Buffer.from(`${n}\n`))
    let said = Promise.resolve('')
    await uploads.answer(
      { ...advertise(), protocol: 0 },
      use => store.readGit('acme', use),
      output => (said = text(output)),
    )
    t.match(await said, `${revision} refs/heads/main\n`)
  }
})

t.test('nothing of the environment reaches git', async t => {
  const { store, put } = await openStore(t)
  await put('a', Buffer.from('1\n'))
  const uploads = new UploadPack({ processes: 1, log: { info() {}, warn() {}, error() {} } })
  const set = {
    GIT_DIR: '/nowhere',
    GIT_PROTOCOL: 'version=2',
    GIT_CONFIG_COUNT: 'x',
    GIT_TRACE: join(t.testdirName, 'trace'),
  }
  Object.assign(process.env, set)
  t.teardown(() => {
    for (const name of Object.keys(set)) delete process.env[name]
  })
  let said = Promise.resolve('')
  await uploads.answer(
    { ...advertise(), protocol: 0 },
    use => store.readGit('acme', use),
    output => (said = text(output)),
  )
  t.match(await said, /HEAD\0/)
  t.notOk(fs.existsSync(set.GIT_TRACE))
})

t.test('a bounded number of processes, a bounded number of waiting requests', async t => {
  const { uploads, read } = await openLarge(t, 2)
  const readers = Array.from({ length: 10 }, read)
  t.ok(await eventually(() => readers.filter(({ output }) => output()).length === 2), 'two run')
  t.strictSame(uploads.load, { running: 2, waiting: 8 })
  await t.rejects(read().through, { code: 'unavailable', data: { retryAfter: 5 } }, 'one too many')
  readers[5]!.left.abort(new Error('gone'))
  await t.rejects(readers[5]!.through, { message: 'gone' }, 'one leaves the queue')
  t.strictSame(uploads.load, { running: 2, waiting: 7 })
  for (const [n, reader] of readers.entries()) {
    if (n === 5) continue
    t.ok(await eventually(() => reader.output() !== undefined), `${n} has its turn`)
    t.ok(uploads.load.running <= 2)
    reader.output()!.resume()
    await reader.through
  }
  t.strictSame(uploads.load, { running: 0, waiting: 0 })
})

t.test('a reader that reads nothing fills no memory, and leaves no process behind', { skip: noProcesses }, async t => {
  const { gitDir, read, uploads, warnings } = await openLarge(t, 2)
  const reader = read()
  t.ok(await eventually(() => reader.output() !== undefined))
  t.ok(await eventually(() => processesIn(gitDir).length >= 2), 'git, and the process that it started for the pack')
  // No event reports that git has stopped to write.
  await pause(500)
  const running = processesIn(gitDir)
  t.ok(Math.max(...running.map(bytesWritten)) < 2 ** 20, 'git waits, rather than this process holding what it has')
  reader.left.abort(new Error('gone'))
  await reader.through.catch(() => {})
  t.ok(await eventually(() => processesIn(gitDir).length === 0), 'all of them are gone')
  t.strictSame(uploads.load, { running: 0, waiting: 0 })
  t.strictSame(warnings, [], 'nothing to worry an operator')
})

t.test('a reader that left before its process was there gets none', async t => {
  const { store, put } = await openStore(t)
  await put('a', Buffer.from('1\n'))
  const uploads = new UploadPack({ processes: 1, log: { info() {}, warn() {}, error() {} } })
  const left = new AbortController()
  const through = uploads.answer(
    { ...advertise(), signal: left.signal },
    use => {
      left.abort(new Error('gone'))
      return store.readGit('acme', use)
    },
    () => t.fail('nothing is sent'),
  )
  await t.rejects(through, { message: 'gone' })
  t.strictSame(uploads.load, { running: 0, waiting: 0 })
})

t.test('what git cannot read is unavailable, and the log says why', async t => {
  const warnings: { errors?: string }[] = []
  const uploads = new UploadPack({ processes: 1, log: { info() {}, warn: data => warnings.push(data), error() {} } })
  const gitDir = t.testdir()
  const through = uploads.answer(
    advertise(),
    use => use(gitDir),
    () => t.fail('nothing is sent'),
  )
  await t.rejects(through, { code: 'unavailable', message: /could not read/ })
  t.match(warnings[0]?.errors, /does not appear to be a git repository/)
  await t.rejects(
    uploads.answer(
      advertise(),
      use => use(join(gitDir, 'missing\0')),
      () => {},
    ),
  )
  t.strictSame(uploads.load, { running: 0, waiting: 0 })
})

t.test('an organization stays open while git reads it', async t => {
  const { store, put, workTree } = await openStore(t, { idleMs: 20 })
  await put('a', Buffer.from('1\n'))
  const lock = join(workTree, '.git/refs/heads/main.lock')
  const { promise: through, resolve: release } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const reading = store.readGit('acme', () => {
    begun.resolve()
    return through
  })
  await begun.promise
  await pause(300)
  t.ok(fs.existsSync(lock), 'it is idle for long, and open')
  release()
  await reading
  t.ok(await eventually(() => !fs.existsSync(lock)), 'and closed once the reader is through')
  await t.rejects(
    store.readGit('acme', async () => {
      throw new Error('mine')
    }),
    { message: 'mine' },
  )
  t.ok(await eventually(() => !fs.existsSync(lock)), 'also when the reader failed')
})

t.test('an organization without a repository gets an empty one', async t => {
  const { store, workTree } = await openStore(t)
  t.equal(await store.readGit('acme', async gitDir => gitDir), join(workTree, '.git'))
  t.equal(git(workTree, 'symbolic-ref', 'HEAD').trim(), 'refs/heads/main')
})

t.test('a git that says nothing is given up, and ended', async t => {
  const { store, put } = await openStore(t)
  await put('a', Buffer.from('x'))
  await store.flush()
  const folder = newFolder(t, { bin: {} })
  const slow = slowGit(join(folder, 'bin'))
  const { PATH } = process.env
  t.teardown(() => {
    process.env.PATH = PATH
    slow.go()
  })
  process.env.PATH = slow.path
  slow.stop('upload-pack')
  const uploads = new UploadPack({ processes: 1, log: { info() {}, warn() {}, error() {} }, silentMs: 200 })
  const through = uploads.answer(
    advertise(),
    use => store.readGit('acme', use),
    () => t.fail('nothing is sent'),
  )
  await t.rejects(through, { code: 'unavailable', message: 'git does not answer on this server; try again later.' })
  t.strictSame(uploads.load, { running: 0, waiting: 0 })
  t.ok(await eventually(() => gitProcesses() === 0))
})
