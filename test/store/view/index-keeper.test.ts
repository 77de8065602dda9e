import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { IndexKeeper } from '../../../src/store/view/index-keeper.ts'

/** Without a PATH in this process the keeper's own git is not found; the test's is. */
const GIT = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()

function open(t: Test) {
  const root = t.testdir({ 'a.json': '{}\n' })
  const git = (...argv: string[]) => execFileSync(GIT, ['-C', root, ...argv], { encoding: 'utf8' }).trim()
  const warnings: string[] = []
  const log = { info() {}, warn: (_data: object, text: string) => void warnings.push(text), error() {} }
  git('init', '-q', '-b', 'main')
  const keeper = new IndexKeeper(join(root, '.git'), root, log)
  t.teardown(() => keeper.close())
  const lock = join(root, '.git', 'index.lock')
  return {
    root,
    git,
    keeper,
    warnings,
    lock: () => fs.writeFileSync(lock, ''),
    unlock: () => fs.unlinkSync(lock),
    /** Commits a file past the index that the keeper looks after; returns the blob's id. */
    commit(path: string, text: string): string {
      fs.writeFileSync(join(root, path), text)
      const environment = { ...process.env, GIT_INDEX_FILE: join(root, '.git', 'another-index') }
      const options = { encoding: 'utf8' as const, env: environment }
      execFileSync(GIT, ['-C', root, 'add', '--', path], options)
      const author = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
      execFileSync(GIT, ['-C', root, ...author, 'commit', '-q', '-m', path], options)
      return git('rev-parse', `HEAD:${path}`)
    },
  }
}

async function until(t: Test, what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < 20_000 && !holds(); waited += 50) await new Promise(resolve => setTimeout(resolve, 50))
  t.ok(holds(), what)
}

t.test('before the first commit there is nothing to do', async t => {
  const { root, keeper, warnings } = open(t)
  await keeper.settle()
  t.notOk(fs.existsSync(join(root, '.git', 'index')))
  t.same(warnings, [])
})

t.test('the first time reads HEAD whole, later only what was noted', async t => {
  const { git, keeper, commit } = open(t)
  commit('a.json', '{}\n')
  await keeper.settle()
  t.equal(git('status', '--porcelain'), '')
  const id = commit('b.json', '{"b":"c"}\n')
  t.not(git('status', '--porcelain'), '')
  keeper.note([['b.json', { id }]])
  await keeper.settle()
  t.equal(git('status', '--porcelain'), '')
  commit('c.json', '{}\n')
  await keeper.settle()
  t.not(git('status', '--porcelain'), '', 'what was not noted is not looked for')
})

t.test('what is sealed in quick succession goes in together, soon', async t => {
  const { git, keeper, commit } = open(t)
  commit('a.json', '{}\n')
  await keeper.settle()
  for (const name of ['b', 'c', 'd']) {
    const path = `${name}.json`
    keeper.note([[path, { id: commit(path, '{}\n') }]])
    keeper.settleSoon()
  }
  t.not(git('status', '--porcelain'), '', 'not at once')
  await until(t, 'all are in the index', () => git('status', '--porcelain') === '')
})

t.test('an index that is wanted soon is none once it was closed', async t => {
  const { git, keeper, commit } = open(t)
  await keeper.settle()
  commit('a.json', '{}\n')
  keeper.settleSoon()
  await keeper.close()
  keeper.settleSoon()
  await new Promise(resolve => setTimeout(resolve, 600))
  t.not(git('status', '--porcelain'), '')
})

t.test('someone holds the index: it stays his, and is brought up when he is done', async t => {
  const { git, keeper, commit, lock, unlock, warnings } = open(t)
  const first = commit('a.json', '{}\n')
  await keeper.settle()
  const id = commit('b.json', '{"b":"c"}\n')
  lock()
  keeper.note([
    ['b.json', { id: first }],
    ['gone.json', null],
  ])
  await keeper.settle()
  keeper.note([['b.json', { id }]])
  unlock()
  await until(t, 'the index is HEAD, and what was noted last counts', () => git('status', '--porcelain') === '')
  t.same(warnings, [], 'that is nobody’s fault')
})

t.test('an index that git refuses is read anew later, and told once', async t => {
  const { root, git, keeper, commit, warnings } = open(t)
  const id = commit('a.json', '{}\n')
  await keeper.settle()
  fs.writeFileSync(join(root, '.git', 'index'), 'broken')
  keeper.note([['a.json', { id }]])
  await keeper.settle()
  t.equal(warnings.length, 1)
  fs.unlinkSync(join(root, '.git', 'index'))
  await until(t, 'the index is HEAD', () => git('status', '--porcelain') === '')
  t.equal(warnings.length, 1)
})

t.test('after closing nothing is tried again', async t => {
  const { git, keeper, commit, lock, unlock } = open(t)
  commit('a.json', '{}\n')
  lock()
  await keeper.settle()
  await keeper.close()
  unlock()
  await new Promise(resolve => setTimeout(resolve, 2500))
  t.not(git('status', '--porcelain'), '')
})

t.test('without git it says so once and lets everything else be', async t => {
  const script = `
    process.env.PATH = ''
    import('${join(import.meta.dirname, '../../../src/store/view/index-keeper.ts')}').then(async ({ IndexKeeper }) => {
      const log = { warn: (_data, text) => console.log(text) }
      const keeper = new IndexKeeper(process.argv[1] + '/.git', process.argv[1], log)
      await keeper.settle()
      keeper.note([['a.json', null]])
      await keeper.settle()
      await keeper.close()
      console.log('closed')
    })`
  const { root, commit } = open(t)
  commit('a.json', '{}\n')
  const output = execFileSync(process.execPath, ['--import', 'tsx', '-e', script, root], { encoding: 'utf8' })
  const lines = output.trim().split('\n')
  t.equal(lines.length, 2)
  t.match(lines[0], 'no git')
  t.equal(lines[1], 'closed')
})
