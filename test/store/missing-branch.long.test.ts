/** A branch that is gone must never open as an empty organization: it is put back, or nothing opens. */
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Store } from '../../src/store/store.ts'
import { commitCount, fsck, git } from './git-cli.ts'

const ANN = { name: 'Ann', email: 'ann@example.com' }
const PERSON = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com']
const PROJECT = '{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n'
const path = (namespace: string) => `web/locales/de/${namespace}.json`
const bundle = (text: string) => `{\n  "a": "${text}"\n}\n`

async function openStore(t: Test, directory: string) {
  const warnings: string[] = []
  const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message), error() {} }
  const store = await Store.open({ directory, watch: false, log })
  t.teardown(() => store.close())
  const put = (name: string, text: string) =>
    store.write('acme', ANN, tx => ({ result: tx.put(name, Buffer.from(text)), message: { subject: `put ${name}` } }))
  const get = (name: string) => store.read('acme', snapshot => snapshot.read(name)?.toString())
  return { store, put, get, warnings }
}

/** An organization with three sealed commits, at rest. */
async function filled(t: Test) {
  const directory = join(t.testdir(), 'organizations')
  const { store, put } = await openStore(t, directory)
  await put('web/project.json', PROJECT)
  await put(path('common'), bundle('first'))
  await put(path('more'), bundle('second'))
  await store.close()
  const workTree = join(directory, 'acme')
  const gitDir = join(workTree, '.git')
  return { directory, workTree, gitDir, main: git(workTree, 'rev-parse', 'main').trim() }
}

const gone: [what: string, act: (workTree: string, gitDir: string) => void][] = [
  ['deleted', workTree => git(workTree, 'update-ref', '-d', 'refs/heads/main')],
  ['renamed', workTree => git(workTree, 'branch', '-m', 'main', 'trunk')],
  ['lost with its file', (_, gitDir) => fs.rmSync(join(gitDir, 'refs/heads/main'))],
  ['lost with all of refs', (_, gitDir) => fs.rmSync(join(gitDir, 'refs/heads'), { recursive: true })],
]
for (const [what, act] of gone) {
  t.test(`a branch that was ${what} is put back`, async t => {
    const { directory, workTree, gitDir, main } = await filled(t)
    act(workTree, gitDir)
    const { store, put, get, warnings } = await openStore(t, directory)
    t.equal(await get(path('common')), bundle('first'))
    t.equal(git(workTree, 'rev-parse', 'main').trim(), main)
    t.match(warnings, [/main was missing/], 'the log says so')
    t.match(store.status().problems, [{ organization: 'acme', error: /main was missing/ }], 'and so does the status')
    await put(path('more'), bundle('third'))
    await store.close()
    t.equal(commitCount(workTree), 4)
    t.equal(git(workTree, 'rev-list', '--max-parents=0', 'main').trim().split('\n').length, 1, 'no new root')
    t.equal(fsck(workTree), '')
    const again = await openStore(t, directory)
    t.equal(await again.get(path('more')), bundle('third'))
    t.strictSame([again.warnings, again.store.status().problems], [[], []], 'told once')
  })
}

t.test('writes in the journal are replayed on the branch that is put back', async t => {
  const { directory, workTree, gitDir } = await filled(t)
  const { store, put } = await openStore(t, directory)
  const image = join(directory, '..', 'image')
  for (const note of ['kept', 'lost']) {
    await put(path('common'), bundle(`unsealed ${note}`))
    fs.cpSync(directory, image, { recursive: true })
    await store.flush()
    const sealed = git(workTree, 'rev-parse', 'main').trim()
    const there = join(image, 'acme/.git')
    fs.rmSync(join(there, 'refs/heads/main'))
    if (note === 'lost') fs.rmSync(join(there, 'parlance/head'))
    const again = await openStore(t, image)
    t.equal(await again.get(path('common')), bundle(`unsealed ${note}`))
    await again.store.close()
    t.equal(git(join(image, 'acme'), 'rev-parse', 'main').trim(), sealed, 'the very commit that was acknowledged')
    t.equal(fsck(join(image, 'acme')), '')
    fs.rmSync(image, { recursive: true })
  }
  await store.close()
  t.ok(fs.existsSync(gitDir))
})

t.test('without the objects that it led to nothing opens', async t => {
  const { directory, workTree, gitDir } = await filled(t)
  fs.rmSync(join(gitDir, 'refs/heads/main'))
  const [blob] = git(workTree, 'hash-object', path('more')).split('\n')
  // Everything is there but one blob: loose, so that it can be removed.
  for (const name of fs.readdirSync(join(gitDir, 'objects/pack')).filter(name => name.endsWith('.pack'))) {
    const pack = join(directory, '..', name)
    fs.renameSync(join(gitDir, 'objects/pack', name), pack)
    fs.rmSync(join(gitDir, 'objects/pack', name.replace('.pack', '.idx')))
    git(workTree, '-c', 'alias.unpack=!f() { git unpack-objects -q < "$1"; }; f', 'unpack', pack)
  }
  fs.rmSync(join(gitDir, 'objects', blob!.slice(0, 2), blob!.slice(2)))
  const { store, put, get } = await openStore(t, directory)
  const refused = { code: 'unavailable', message: /branch main .*missing/ }
  await t.rejects(get(path('common')), refused)
  await t.rejects(put(path('common'), bundle('new')), refused)
  t.match(store.status().problems, [{ organization: 'acme', path: '', error: /missing/ }])
  await store.close()
  t.notOk(fs.existsSync(join(gitDir, 'refs/heads/main')), 'and no root is created')
})

t.test('a repository that has a history and no branch does not open', async t => {
  const { directory, workTree, gitDir } = await filled(t)
  git(workTree, 'branch', '-m', 'main', 'master')
  fs.rmSync(join(gitDir, 'parlance/head'))
  const { get, store } = await openStore(t, directory)
  await t.rejects(get(path('common')), { code: 'unavailable', message: /no branch main/ })
  await store.close()
  git(workTree, 'branch', 'main', 'master')
  const again = await openStore(t, directory)
  t.equal(await again.get(path('common')), bundle('first'), 'until a person says which one it is')
})

t.test('files without their repository do not become a new one', async t => {
  const { directory, gitDir } = await filled(t)
  fs.renameSync(gitDir, join(directory, '..', 'git'))
  const { get, put, store } = await openStore(t, directory)
  await t.rejects(get(path('common')), { code: 'unavailable', message: /no repository/ })
  await t.rejects(put(path('common'), bundle('new')), { code: 'unavailable', message: /no repository/ })
  await store.close()
  fs.renameSync(join(directory, '..', 'git'), gitDir)
  const again = await openStore(t, directory)
  t.equal(await again.get(path('common')), bundle('first'))
})

t.test('a branch that vanishes under the server is back for the next reader of git', async t => {
  const { directory, workTree, gitDir, main } = await filled(t)
  const { store, get, warnings } = await openStore(t, directory)
  await get(path('common'))
  fs.rmSync(join(gitDir, 'refs/heads/main'))
  await store.readGit('acme', async () => t.equal(git(workTree, 'rev-parse', 'main').trim(), main))
  t.ok(
    warnings.some(message => message.includes('main was missing')),
    'the log says so',
  )
  t.match(store.status().problems, [{ path: '.git/refs/heads/main', error: /main was missing/ }])
})

t.test("a person's own branch, created first, is no damage", async t => {
  const directory = join(t.testdir(), 'organizations')
  const { store, get } = await openStore(t, directory)
  await store.readGit('acme', async () => {})
  await store.close()
  const workTree = join(directory, 'acme')
  git(workTree, 'checkout', '-q', '-b', 'mine')
  git(workTree, ...PERSON, 'commit', '-q', '--allow-empty', '-m', 'mine')
  t.equal(await get(path('common')).catch(() => undefined), undefined)
  const again = await openStore(t, directory)
  await again.put('web/project.json', PROJECT)
  await again.store.flush()
  t.equal(commitCount(workTree), 1)
})
