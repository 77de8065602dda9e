/**
 * One repository through failures of the disk, crashes between any two steps, and what people do to it while it is
 * closed.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Store } from '../../src/store/store.ts'
import { WorkTree, type WorkTreeOptions } from '../../src/store/work-tree/work-tree.ts'
import { newFolder } from '../new-folder.ts'
import { commitCount, fsck, git } from './git-cli.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const PERSON = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com', '-c', 'gc.auto=0']
const PROJECT = '{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n'
const path = (namespace: string) => `web/locales/de/${namespace}.json`
const bundle = (text: string) => `{\n  "a": "${text}"\n}\n`

interface Logged {
  level: 'info' | 'warn' | 'error'
  message: string
}

async function openStore(t: Test, given?: string) {
  const directory = given ?? join(newFolder(t), 'organizations')
  const logged: Logged[] = []
  const log = (level: Logged['level']) => (_: object, message: string) => void logged.push({ level, message })
  const store = await Store.open({
    directory,
    watch: false,
    log: { info: log('info'), warn: log('warn'), error: log('error') },
  })
  t.teardown(() => store.close())
  const put = (name: string, text: string) =>
    store.write('acme', ANN, tx => ({ result: tx.put(name, Buffer.from(text)), message: { subject: `put ${name}` } }))
  const get = (name: string) => store.read('acme', snapshot => snapshot.read(name)?.toString())
  return { store, directory, put, get, logged, workTree: join(directory, 'acme') }
}

/** A store with a project and one bundle, sealed. */
async function startedStore(t: Test) {
  const opened = await openStore(t)
  await opened.put('web/project.json', PROJECT)
  await opened.put(path('common'), bundle('first'))
  await opened.store.flush()
  return opened
}

/** Lets a function of `fs` fail with `code` where `when` says so; with `after`, the call itself happens first. */
function breakDisk(
  t: Test,
  name: 'write' | 'rename' | 'open' | 'fsync',
  code: string,
  when: (...args: unknown[]) => boolean,
  after = false,
): () => void {
  const original = fs[name] as (...args: unknown[]) => void
  const mend = () => Object.assign(fs, { [name]: original })
  const broken = (...args: unknown[]) => {
    if (!when(...args)) return original(...args)
    const done = args.at(-1) as (error: Error) => void
    const fail = () => done(Object.assign(new Error(`${code} by the test`), { code }))
    if (after) original(...args.slice(0, -1), fail)
    else setImmediate(fail)
  }
  Object.assign(fs, { [name]: broken })
  t.teardown(mend)
  return mend
}

/** Whether a call of `fs.write` appends to a journal, by the frame's epoch and number. */
const toJournal = (...[, bytes, , , position]: unknown[]) =>
  Buffer.isBuffer(bytes) && bytes.length > 100 && typeof position === 'number' && bytes.includes('"changes":[{"path"')

/** A copy of the folder as it is now: what a kill at this moment leaves. */
function crashImage(t: Test, directory: string, name: string): string {
  const image = join(directory, '..', name)
  fs.cpSync(directory, image, { recursive: true })
  fs.rmSync(join(image, 'acme', '.git', 'index.lock'), { force: true })
  t.teardown(() => fs.rmSync(image, { recursive: true, force: true }))
  return image
}

for (const [code, failure] of [
  ['ENOSPC', 'no-space'],
  ['EDQUOT', 'no-space'],
  ['EIO', 'unavailable'],
] as const) {
  for (const after of [false, true]) {
    t.test(
      `${code} ${after ? 'after' : 'before'} the journal's bytes are written refuses the whole batch for good`,
      async t => {
        const { store, put, get, workTree, directory } = await startedStore(t)
        await put(path('common'), bundle('unsealed'))
        const mend = breakDisk(t, 'write', code, toJournal, after)
        const refused = await Promise.allSettled([
          put(path('common'), bundle('refused')),
          put(path('refused'), bundle('refused')),
        ])
        t.match(refused, [{ reason: { code: failure } }, { reason: { code: failure } }])
        t.equal(await get(path('common')), bundle('unsealed'), 'reads go on with the last durable state')
        t.equal(await get(path('refused')), undefined)
        mend()
        await put(path('later'), bundle('later'))
        t.equal(await get(path('common')), bundle('unsealed'))
        await store.flush()
        t.equal(commitCount(workTree), 4)
        t.equal(fsck(workTree), '')
        t.notOk(fs.existsSync(join(workTree, path('refused'))))
        await store.close()
        const again = await openStore(t, directory)
        t.equal(await again.get(path('refused')), undefined)
        t.equal(await again.get(path('later')), bundle('later'))
      },
    )
  }
}

t.test('a disk that stays broken refuses every write and serves every read', async t => {
  const { store, put, get } = await startedStore(t)
  const mend = breakDisk(t, 'write', 'ENOSPC', () => true)
  for (let i = 0; i < 3; i++) await t.rejects(put(path('common'), bundle('refused')), { code: /no-space|unavailable/ })
  t.equal(await get(path('common')), bundle('first'))
  t.match(store.status().problems, [{ organization: 'acme', path: '' }])
  mend()
  await put(path('common'), bundle('second'))
  t.equal(await get(path('common')), bundle('second'))
  t.same(store.status().problems, [])
})

t.test('a seal that fails is tried again, and writes go on meanwhile', async t => {
  const { store, put, get, workTree, logged } = await startedStore(t)
  const mend = breakDisk(t, 'rename', 'ENOSPC', from => String(from).includes('objects/pack'))
  for (let i = 0; i < 5; i++) {
    await put(path('common'), bundle(`while it fails ${i}`))
    await new Promise(resolve => setTimeout(resolve, 80))
  }
  await t.rejects(store.flush(), { code: 'no-space' })
  t.match(
    logged.filter(({ level }) => level === 'error').map(({ message }) => message),
    [/sealing failed/],
  )
  t.equal(await get(path('common')), bundle('while it fails 4'))
  mend()
  await store.flush()
  t.equal(commitCount(workTree), 7)
  t.equal(fsck(workTree), '')
})

t.test('a kill between any two steps of a seal loses nothing', async t => {
  const steps: [name: string, renamedTo: RegExp][] = [
    ['the pack', /\.pack$/],
    ['the index of the pack', /\.idx$/],
    ['the branch', /refs\/heads\/main$/],
    ['the note of the head', /parlance\/head$/],
  ]
  for (const [name, renamedTo] of steps) {
    for (const after of [false, true]) {
      const moment = `${after ? 'after' : 'before'} ${name}`
      const { store, put, directory } = await startedStore(t)
      const mend = breakDisk(t, 'rename', 'EIO', (_, to) => renamedTo.test(String(to)), after)
      await put(path('common'), bundle('acknowledged'))
      await put(path('other'), bundle('acknowledged'))
      await t.rejects(store.flush(), { code: 'unavailable' }, moment)
      const image = crashImage(t, directory, 'image')
      mend()
      await store.close()
      t.equal(fsck(join(image, 'acme')), '', `${moment}: git finds nothing wrong`)
      const again = await openStore(t, image)
      t.equal(await again.get(path('common')), bundle('acknowledged'), moment)
      await again.store.close()
      t.equal(commitCount(again.workTree), 4, moment)
      t.equal(fsck(again.workTree), '', moment)
      t.equal(git(again.workTree, 'status', '--porcelain'), '', moment)
      fs.rmSync(image, { recursive: true })
    }
  }
})

t.test('acknowledged writes are replayed on top of what a person committed before the restart', async t => {
  const { put, directory } = await startedStore(t)
  await put(path('common'), bundle('acknowledged'))
  await put(path('more'), bundle('acknowledged'))
  const image = crashImage(t, directory, 'image')
  const workTree = join(image, 'acme')
  fs.rmSync(join(workTree, '.git/refs/heads/main.lock'))
  git(workTree, 'reset', '-q', '--hard')
  fs.writeFileSync(join(workTree, path('common')), bundle("a person's"))
  fs.writeFileSync(join(workTree, path('person')), bundle("a person's"))
  git(workTree, 'add', '.')
  git(workTree, ...PERSON, 'commit', '-q', '-m', 'by hand')

  const again = await openStore(t, image)
  t.equal(await again.get(path('common')), bundle('acknowledged'))
  t.equal(await again.get(path('more')), bundle('acknowledged'))
  t.equal(await again.get(path('person')), bundle("a person's"))
  await again.put(path('next'), bundle('next'))
  await again.store.close()
  const subjects = git(workTree, 'log', '--format=%s').trim().split('\n')
  t.same(subjects, [
    `put ${path('next')}`,
    `put ${path('more')}`,
    `put ${path('common')}`,
    'by hand',
    `put ${path('common')}`,
    'put web/project.json',
  ])
  t.equal(fsck(workTree), '')
  t.equal(fs.readFileSync(join(workTree, path('common')), 'utf8'), bundle('acknowledged'))
})

t.test('a person who commits on top of a sealed journal does not pass for a conflict', async t => {
  const { store, put, directory } = await startedStore(t)
  const mend = breakDisk(t, 'rename', 'EIO', (_, to) => /parlance\/head$/.test(String(to)))
  await put(path('common'), bundle('acknowledged'))
  await t.rejects(store.flush())
  const image = crashImage(t, directory, 'image')
  mend()
  const workTree = join(image, 'acme')
  fs.rmSync(join(workTree, '.git/refs/heads/main.lock'))
  git(workTree, 'reset', '-q')
  git(workTree, ...PERSON, 'commit', '-q', '--allow-empty', '-m', 'by hand')
  const again = await openStore(t, image)
  t.equal(await again.get(path('common')), bundle('acknowledged'))
  await again.store.close()
  t.same(git(workTree, 'log', '--format=%s').trim().split('\n').slice(0, 2), ['by hand', `put ${path('common')}`])
})

t.test('what people break by a commit is mended by a commit on top', async t => {
  const { store, directory, workTree } = await startedStore(t)
  await store.close()
  fs.writeFileSync(join(workTree, path('common')), '{ "a": 1 }')
  fs.writeFileSync(join(workTree, path('loose')), '{"b":"x", "a":"y"}')
  git(workTree, 'add', '.')
  git(workTree, ...PERSON, 'commit', '-q', '-m', 'by hand')
  const again = await openStore(t, directory)
  t.equal(await again.get(path('common')), bundle('first'))
  t.equal(await again.get(path('loose')), '{\n  "a": "y",\n  "b": "x"\n}\n')
  t.match(again.store.status().problems, [{ organization: 'acme', path: path('common') }])
  t.equal(fs.readFileSync(join(workTree, path('common')), 'utf8'), '{ "a": 1 }', "the person's file stays")
})

t.test('when the last file goes, git finds the empty tree, and writes go on', async t => {
  const { store, put, get, workTree } = await startedStore(t)
  const clear = () =>
    store.write('acme', ANN, tx => {
      for (const name of [path('common'), 'web/project.json']) tx.remove(name)
      return { result: undefined, message: { subject: 'clear' } }
    })
  for (let round = 0; round < 2; round++) {
    await clear()
    await store.flush()
    t.equal(fsck(workTree), '')
    t.equal(git(workTree, 'ls-tree', '-r', 'HEAD'), '')
    await put('web/project.json', PROJECT)
    await put(path('common'), bundle('again'))
    await store.flush()
    t.equal(fsck(workTree), '')
    t.equal(await get(path('common')), bundle('again'))
  }
})

t.test('a repository that a person packed, collected and moved into packed-refs opens as before', async t => {
  const { store, put, directory, workTree } = await startedStore(t)
  for (let i = 0; i < 5; i++) {
    await put(path(`n${i}`), bundle(`${i}`))
    await store.flush()
  }
  await store.close()
  git(workTree, 'gc', '-q', '--prune=now')
  t.notOk(fs.existsSync(join(workTree, '.git/refs/heads/main')))
  const again = await openStore(t, directory)
  t.equal(await again.get(path('n3')), bundle('3'))
  await again.put(path('n3'), bundle('new'))
  await again.store.close()
  t.equal(commitCount(workTree), 8)
  t.equal(fsck(workTree), '')
})

t.test('a repack while the store is open hides nothing', async t => {
  const { store, put, get, workTree } = await startedStore(t)
  for (let i = 0; i < 5; i++) {
    await put(path(`n${i}`), bundle(`${i}`))
    await store.flush()
  }
  git(workTree, 'repack', '-adq')
  for (let i = 0; i < 5; i++) t.equal(await get(path(`n${i}`)), bundle(`${i}`))
  t.equal(await store.read('acme', snapshot => snapshot.list('web/locales/de').length), 6)
})

t.test('leftovers of a dead server are cleared away', async t => {
  const { store, directory, workTree } = await startedStore(t)
  await store.close()
  const gitDir = join(workTree, '.git')
  const orphan = join(gitDir, 'objects/pack', `pack-${'1'.repeat(40)}.pack`)
  const fresh = join(gitDir, 'objects/pack', `pack-${'2'.repeat(40)}.pack`)
  const index = join(gitDir, 'objects/pack', `pack-${'3'.repeat(40)}.idx`)
  const temporary = join(gitDir, 'objects/pack/tmp_parlance_pack')
  for (const file of [orphan, fresh, index, temporary, join(gitDir, 'refs/heads/main.lock')])
    fs.writeFileSync(file, 'x')
  fs.utimesSync(orphan, 0, 0)
  const again = await openStore(t, directory)
  t.equal(await again.get(path('common')), bundle('first'))
  t.same(
    [orphan, fresh, index, temporary].map(file => fs.existsSync(file)),
    [false, true, false, false],
    'a fresh pack may be a repack at work',
  )
  await again.store.close()
  t.notOk(fs.existsSync(join(gitDir, 'refs/heads/main.lock')))
})

t.test('an organization that cannot be opened says so and harms no other', async t => {
  const { store, directory, workTree } = await startedStore(t)
  await store.close()
  fs.writeFileSync(join(workTree, '.git/refs/heads/main'), 'garbage\n')
  const again = await openStore(t, directory)
  await t.rejects(again.get(path('common')), { code: 'unavailable', message: /cannot be opened/ })
  t.match(again.store.status().problems, [{ organization: 'acme', path: '', error: /garbage/ }])
  await again.store.write('other', ANN, tx => ({ result: tx.put('a', Buffer.from('b')), message: { subject: 'x' } }))
  t.equal(await again.store.read('other', snapshot => snapshot.read('a')?.toString()), 'b')
  await again.store.remove('acme')
  t.equal(await again.get(path('common')), undefined, 'it can be removed all the same')
  t.same(again.store.status(), { organizations: 1, problems: [] })
})

t.test('more than ten thousand waiting writes are too many', async t => {
  const { put, workTree, store } = await startedStore(t)
  const results = await Promise.allSettled(
    Array.from({ length: 10_050 }, (_, i) => put(path('common'), bundle(`${i}`))),
  )
  const refused = results.filter(result => result.status === 'rejected')
  t.ok(refused.length > 0 && refused.length <= 50, `${refused.length} refused`)
  t.match(refused[0], { reason: { code: 'unavailable' } })
  await store.flush()
  t.equal(commitCount(workTree), 2 + results.length - refused.length)
})

t.test('sealing follows steady writing', async t => {
  const { put, workTree } = await startedStore(t)
  const before = git(workTree, 'rev-parse', 'main')
  const end = performance.now() + 30_000
  for (let i = 0; git(workTree, 'rev-parse', 'main') === before && performance.now() < end; i++) {
    await put(path('common'), bundle(`${i}`))
    await new Promise(resolve => setTimeout(resolve, 40))
  }
  t.not(git(workTree, 'rev-parse', 'main'), before)
})

t.test('a write that comes between the judging of an edit and its commit stays in HEAD beside it', async t => {
  const views: WorkTreeOptions[] = []
  const directory = join(t.testdir(), 'organizations')
  const makeView = (options: WorkTreeOptions) => {
    views.push(options)
    return new WorkTree(options)
  }
  const store = await Store.open({ directory, watch: false, createWorkTree: makeView })
  t.teardown(() => store.close())
  const put = (name: string, text: string) =>
    store.write('acme', ANN, tx => {
      tx.put(name, Buffer.from(text))
      return { result: tx.entry(name)!.id, message: { subject: 'put' } }
    })
  await put('web/project.json', PROJECT)
  const { result: judged } = await put(path('common'), '{\n  "a": "old",\n  "b": "old"\n}\n')
  await put(path('common'), '{\n  "a": "old",\n  "b": "by the server"\n}\n')
  const mine = Buffer.from('{\n  "a": "by hand",\n  "b": "old"\n}\n')
  await views[0]!.adopt([{ path: path('common'), bytes: mine, over: judged }])
  const read = () => store.read('acme', snapshot => snapshot.read(path('common'))?.toString())
  t.equal(await read(), '{\n  "a": "by hand",\n  "b": "by the server"\n}\n')
  await views[0]!.adopt([{ path: path('common'), bytes: null, over: judged }])
  t.match(await read(), /by the server/, 'a removal yields to what it has not seen')
  await store.flush()
  t.match(
    git(join(directory, 'acme'), 'log', '-1', '--format=%B'),
    /^external edit of .*\n\nParlance-Project: web\nParlance-Language: de\n/,
  )
})
