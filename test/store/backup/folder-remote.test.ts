// It restores what it changes, so it shares its process (test/groups.mjs).
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createFolderRepository, refuseInside } from '../../../src/store/backup/folder-remote.ts'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import { noGit } from '../../http/git-client.ts'
import { git } from '../git-cli.ts'

if (noGit) t.bailout(noGit)

const parse = (path: string) => BackupRemote.parse(path, 'BACKUP_REMOTE')

function scene(t: Test, content = {}) {
  const root = t.testdir(content)
  const made = (setting: string, id = 'acme') => createFolderRepository(parse(setting), id)
  return { root, made }
}

t.test('creates a missing repository, with the folders around it', async t => {
  const { root, made } = scene(t)
  const setting = join(root, 'a b', 'c', '{organization}', '-x')
  t.equal(await made(setting), undefined)
  const path = join(root, 'a b', 'c', 'acme', '-x')
  t.equal(git(path, 'rev-parse', '--is-bare-repository').trim(), 'true')
  t.equal(git(path, 'symbolic-ref', 'HEAD').trim(), 'refs/heads/main')
  t.equal(git(path, 'config', 'gc.autoDetach').trim(), 'false')
  t.equal(fs.statSync(path).mode & 0o777, 0o700)
  t.strictSame(fs.readdirSync(join(root, 'a b', 'c', 'acme')), ['-x'])
  const { ino } = fs.statSync(path)
  t.equal(await made(setting), undefined)
  t.equal(fs.statSync(path).ino, ino, 'one that is there is left alone')
})

t.test('over an empty folder and the leavings of a killed try; over nothing else', async t => {
  const { root, made } = scene(t, {
    empty: {},
    'killed.new': { refs: {} },
    full: { 'notes.txt': 'mine' },
    file: 'mine',
    half: { objects: {} },
  })
  t.equal(await made(join(root, '{organization}'), 'empty'), undefined)
  t.equal(await made(join(root, '{organization}'), 'killed'), undefined)
  t.notOk(fs.existsSync(join(root, 'killed.new')))
  for (const id of ['full', 'file', 'half']) {
    const taken = {
      reason: 'denied',
      sentence: `Where the backup of ${id} belongs is something that is no git repository.`,
    }
    t.match(await made(join(root, '{organization}'), id), taken)
    t.notOk(fs.existsSync(join(root, `${id}.new`)), 'nothing of the try is left')
  }
  t.equal(fs.readFileSync(join(root, 'full', 'notes.txt'), 'utf8'), 'mine')
  t.equal(fs.readFileSync(join(root, 'file'), 'utf8'), 'mine')
  t.match(await made(join(root, 'file', '{organization}')), { reason: 'denied', sentence: /acme/ })
  t.notMatch(JSON.stringify(await made(join(root, 'file', '{organization}')), ['sentence']), root)
})

t.test('reports one that cannot be written as such, with the reason', async t => {
  const { root, made } = scene(t)
  const setting = join(root, '{organization}')
  t.equal(await made(setting), undefined)
  const { access } = fs.promises
  t.teardown(() => {
    fs.promises.access = access
    syncBuiltinESMExports()
  })
  for (const [code, why] of [
    ['EROFS', /mounted read-only/],
    ['EACCES', /has no right to/],
    ['EIO', /its disk fails/],
  ] as const) {
    fs.promises.access = () => Promise.reject(Object.assign(new Error(code), { code }))
    syncBuiltinESMExports()
    const said = await made(setting)
    t.match(said, { reason: 'denied', sentence: why }, code)
    t.match(said, { sentence: new RegExp(`^The repository of acme at the backup remote cannot be written: .*${code}`) })
  }
})

t.test('creates nothing at other remotes', async t => {
  const { made } = scene(t)
  for (const setting of ['https://example.com/{organization}', 'git@example.com:{organization}']) {
    t.equal(await made(setting), undefined)
  }
})

t.test('no remote in the data folder, or around it', async t => {
  const { root } = scene(t, { data: {}, 'data-too': {} })
  fs.symlinkSync(join(root, 'data'), join(root, 'link'))
  const rows: [remote: string, dataDir: string, refused: boolean][] = [
    ['data/{organization}', 'data', true],
    ['data/deep/er/{organization}.git', 'data', true],
    ['link/{organization}', 'data', true],
    ['data/{organization}', 'link', true],
    ['{organization}', 'parlance-accounts/data', true],
    ['data-too/{organization}', 'data', false],
    ['..data/{organization}', 'data', false],
    ['new/{organization}', 'data', false],
    ['new/{organization}', 'not/yet/there', false],
    ['data/../beside/{organization}', 'data', false],
  ]
  for (const [remote, dataDir, refused] of rows) {
    const checked = refuseInside(parse(`${root}/${remote}`), join(root, dataDir))
    if (refused) await t.rejects(checked, { code: 'invalid', message: /lies in the data folder/ }, remote)
    else await t.resolves(checked, remote)
  }
  await t.resolves(refuseInside(parse('https://example.com/{organization}'), root))
})
