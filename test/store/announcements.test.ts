/** Listeners hear of each commit in order, durable, after its writer was answered; across closing, faults and edits. */
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readCommitOf, revisionsBefore } from '../../src/store/revisions/commits.ts'
import { type MainLineCommit, NO_REVISION, Store, type StoreOptions } from '../../src/store/store.ts'
import { eventually } from '../contract/server.ts'
import { git } from './git-cli.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }

async function open(t: Test, options: Partial<StoreOptions> = {}) {
  const directory = join(t.testdir(), 'organizations')
  const store = await Store.open({ watch: false, directory, ...options })
  t.teardown(() => store.close())
  const put = async (path: string, text: string) => {
    const use = { result: undefined, message: { subject: `put ${path}` } }
    const { revision } = await store.write('acme', ANN, tx => {
      tx.put(path, Buffer.from(text))
      return use
    })
    return revision!
  }
  const workTree = join(directory, 'acme')
  const logged = async () => {
    await store.flush()
    return git(workTree, 'log', '--first-parent', '--reverse', '--format=%H').split('\n').filter(Boolean)
  }
  const heard: MainLineCommit[] = []
  let opened = 0
  const stop = store.listen('acme', { committed: commits => heard.push(...commits), opened: () => opened++ })
  const ids = () => heard.map(({ revision }) => revision)
  return { store, put, workTree, logged, heard, ids, stop, openings: () => opened }
}

t.test('each commit once, in order, after its writer was answered', async t => {
  const { store, put, logged, ids } = await open(t)
  const answered = new Set<string>()
  let early = 0
  store.listen('acme', {
    committed: commits => {
      // Answers that are given in this turn are seen in its microtasks.
      setImmediate(() => {
        for (const { revision } of commits) if (!answered.has(revision)) early++
      })
    },
    opened: () => {},
  })
  const writes = Array.from({ length: 1_000 }, async (_, n) => {
    await new Promise(resolve => setTimeout(resolve, n / 10))
    answered.add(await put(`web/f${n % 50}`, `${n}\n`))
  })
  await Promise.all(writes)
  await eventually(() => ids().length === 1_000)
  t.strictSame(ids(), await logged())
  t.equal(early, 0)
})

t.test('listeners hear what the repository has', async t => {
  const { store, put, heard } = await open(t)
  await put('web/locales/de/common.json', '{}\n')
  await store.write('acme', { name: 'Zoë <x>', email: 'zoe@example.com' }, tx => {
    tx.put('web/locales/de/common.json', Buffer.from('{ }\n'))
    tx.put('app/project.json', Buffer.from('{}\n'))
    return { result: undefined, message: { subject: 'two\nlines', trailers: [['Parlance-Project', 'web']] } }
  })
  await store.write('acme', ANN, tx => {
    tx.remove('web/locales/de/common.json')
    return { result: undefined, message: { subject: '' } }
  })
  await put('app/project.json', '{}\n')
  const byPath = (commit: MainLineCommit) => ({
    ...commit,
    files: [...commit.files].sort((a, b) => (a.path < b.path ? -1 : 1)),
  })
  for (const flushed of [false, true]) {
    if (flushed) await store.flush()
    for (const commit of heard) {
      const read = await store.look('acme', history => readCommitOf(history!, commit.revision))
      t.strictSame(byPath(read), byPath(commit), commit.subject)
    }
  }
  t.equal(heard.length, 3, 'what changes nothing is no commit')
  t.strictSame(
    heard.map(({ before }) => before),
    [null, heard[0]!.revision, heard[1]!.revision],
  )
})

t.test('revisions before one, oldest first', async t => {
  const { store, put, ids } = await open(t)
  for (let n = 0; n < 200; n++) await put('web/f', `${n}\n`)
  const all = ids()
  const look: Parameters<typeof revisionsBefore>[0] = use => store.look('acme', use)
  const before = (n: number, most: number, last: string) => revisionsBefore(look, all[n]!, most, last)
  t.strictSame(await before(199, 1_000, NO_REVISION), [NO_REVISION, ...all.slice(0, 199)])
  t.strictSame(await before(150, 1_000, all[100]!), all.slice(100, 150))
  t.strictSame(await before(150, 10, all[100]!), all.slice(140, 150))
  t.strictSame(await before(0, 10, all[100]!), [NO_REVISION])
  t.strictSame(await revisionsBefore(look, NO_REVISION, 10, all[0]!), [])
})

t.test('a listener stays while the organization is closed', async t => {
  const { put, workTree, logged, ids, stop, openings } = await open(t, { idleMs: 50 })
  await put('web/f', '1\n')
  t.equal(openings(), 1)
  const lock = join(workTree, '.git/refs/heads/main.lock')
  t.ok(await eventually(() => !fs.existsSync(lock)), 'it is closed')
  git(workTree, '-c', 'user.name=Bob', '-c', 'user.email=b@example.com', 'commit', '-q', '--allow-empty', '-m', 'mine')
  await put('web/f', '2\n')
  t.equal(openings(), 2, 'listeners hear of the opening, not of what came meanwhile')
  const [first, theirs, second] = await logged()
  t.strictSame(ids(), [first, second])
  t.ok(theirs)
  stop()
  await put('web/f', '3\n')
  t.equal(ids().length, 2, 'who has stopped hears nothing')
})

t.test('listeners hear nothing of a refused write, and everything after it', async t => {
  const { put, logged, ids } = await open(t)
  await put('web/f', '1\n')
  const { write } = fs
  // biome-ignore lint/suspicious/noExplicitAny: stands for an overloaded function
  const disk = fs as any
  for (let round = 0; round < 5; round++) {
    disk.write = (...argv: unknown[]) =>
      (argv.at(-1) as (error: Error) => void)(Object.assign(new Error('EIO'), { code: 'EIO' }))
    t.teardown(() => void (fs.write = write))
    const refused = Array.from({ length: 20 }, (_, n) => put(`web/f${n}`, `refused ${round}\n`))
    t.ok((await Promise.allSettled(refused)).every(({ status }) => status === 'rejected'))
    fs.write = write
    const mended = async () =>
      put('web/f', `mended ${round}\n`).then(
        () => true,
        () => false,
      )
    t.ok(await eventually(mended))
  }
  t.strictSame(ids(), await logged())
  t.equal(ids().length, 6)
})
