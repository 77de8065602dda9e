import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Background } from '../../../src/scheduling/background.ts'
import { GitIndex } from '../../../src/store/work-tree/git-index.ts'
import { eventually } from '../../contract/server.ts'

/** Without a PATH in this process the keeper's own git is not found; the test's is. */
const GIT = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()

function open(t: Test) {
  const root = t.testdir({ 'a.json': '{}\n' })
  const git = (...argv: string[]) => execFileSync(GIT, ['-C', root, ...argv], { encoding: 'utf8' }).trim()
  const told: string[] = []
  const tell = (_data: object, text: string) => void told.push(text)
  const background = new Background({ info() {}, warn: tell, error: tell })
  git('init', '-q', '-b', 'main')
  const keeper = new GitIndex(join(root, '.git'), root, { info() {}, warn: tell, error() {} }, background)
  t.teardown(() => keeper.close())
  const lock = join(root, '.git', 'index.lock')
  return {
    root,
    git,
    keeper,
    told,
    background,
    clean: () => git('status', '--porcelain') === '',
    lock: () => fs.writeFileSync(lock, ''),
    unlock: () => fs.unlinkSync(lock),
    /** Commits a file past the index that the keeper looks after. */
    commit(path: string, text: string): void {
      fs.writeFileSync(join(root, path), text)
      const environment = { ...process.env, GIT_INDEX_FILE: join(root, '.git', 'another-index') }
      const options = { encoding: 'utf8' as const, env: environment }
      execFileSync(GIT, ['-C', root, 'add', '--', path], options)
      const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
      execFileSync(GIT, ['-C', root, ...author, 'commit', '-q', '-m', path], options)
    },
  }
}

t.test('before the first commit there is nothing to do', async t => {
  const { root, keeper, told } = open(t)
  keeper.note()
  await keeper.settle()
  t.notOk(fs.existsSync(join(root, '.git', 'index')))
  t.same(told, [])
})

t.test('after what was noted the index is HEAD; without it nothing is looked for', async t => {
  const { keeper, commit, clean } = open(t)
  commit('a.json', '{}\n')
  keeper.note()
  await keeper.settle()
  t.ok(clean())
  commit('b.json', '{"b":"c"}\n')
  await keeper.settle()
  t.notOk(clean())
  keeper.note()
  await keeper.settle()
  t.ok(clean())
})

t.test('a branch that a person has packed is seen as well', async t => {
  const { git, keeper, commit, clean } = open(t)
  commit('a.json', '{}\n')
  git('pack-refs', '--all')
  keeper.note()
  await keeper.settle()
  t.ok(clean())
})

t.test('what is sealed in quick succession goes in together, soon after the last', async t => {
  const { keeper, commit, clean } = open(t)
  for (const name of ['a', 'b', 'c', 'd']) {
    commit(`${name}.json`, '{}\n')
    keeper.note()
  }
  t.notOk(clean(), 'not at once')
  t.ok(await eventually(clean), 'all are in the index')
})

t.test('an index that an earlier process left behind is brought up', async t => {
  const { root, git, keeper, commit, clean } = open(t)
  commit('a.json', '{}\n')
  git('read-tree', 'HEAD')
  commit('b.json', '{}\n')
  fs.mkdirSync(join(root, '.git/parlance'), { recursive: true })
  fs.writeFileSync(join(root, '.git/parlance/indexed'), git('rev-parse', 'HEAD~1'))
  await keeper.check()
  t.ok(await eventually(clean))
})

t.test('once closed it does nothing any more', async t => {
  const { root, keeper, commit, lock } = open(t)
  commit('a.json', '{}\n')
  lock()
  keeper.note()
  await keeper.settle()
  await keeper.close()
  keeper.note()
  await keeper.settle()
  t.notOk(fs.existsSync(join(root, '.git', 'index')))
})

t.test('someone holds the index: it stays his, and is brought up when he is done', async t => {
  const { keeper, commit, lock, unlock, told, clean } = open(t)
  commit('a.json', '{}\n')
  lock()
  keeper.note()
  await keeper.settle()
  t.notOk(clean())
  unlock()
  t.ok(await eventually(clean), 'the index is HEAD')
  t.same(told, [], 'that is no failure')
})

t.test('a git that refuses is logged, and tried again until it does not', async t => {
  const { root, keeper, commit, told, clean, background } = open(t)
  commit('a.json', '{}\n')
  fs.mkdirSync(join(root, '.git', 'index'))
  keeper.note()
  await keeper.settle()
  t.match(told, [/bringing git's index up to HEAD failed/])
  t.match(background.problems(), [{ error: /git reset failed/ }])
  fs.rmdirSync(join(root, '.git', 'index'))
  t.ok(await eventually(clean), 'the index is HEAD')
  t.ok(await eventually(() => background.problems().length === 0))
})

t.test('what a person has staged gives way', async t => {
  const { git, keeper, commit, clean } = open(t)
  commit('a.json', '{}\n')
  git('add', 'a.json')
  git('rm', '--cached', '-q', 'a.json')
  keeper.note()
  await keeper.settle()
  t.ok(clean())
})

t.test('without git it says so once and lets everything else be', async t => {
  const source = (name: string) => join(import.meta.dirname, '../../../src', name)
  const script = `
    const { GitIndex } = await import('${source('store/work-tree/git-index.ts')}')
    const { Background } = await import('${source('scheduling/background.ts')}')
    const log = { warn: (_data, text) => console.log(text), error: console.log }
    const keeper = new GitIndex(process.argv[1] + '/.git', process.argv[1], log, new Background(log))
    for (let time = 0; time < 2; time++) {
      keeper.note()
      await keeper.settle()
    }
    await keeper.close()
    console.log('closed')`
  const { root, commit } = open(t)
  commit('a.json', '{}\n')
  const argv = ['--input-type=module', '-e', script, root]
  const lines = execFileSync(process.execPath, argv, { encoding: 'utf8', env: { ...process.env, PATH: '' } })
    .trim()
    .split('\n')
  t.equal(lines.length, 2)
  t.match(lines[0], 'no git')
  t.equal(lines[1], 'closed')
})
