import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { gitProcesses, gitVersion, isAtLeast, OLDEST_GIT, runGit, runIn, startGit } from '../../../src/store/git/git.ts'
import { resetIndex } from '../../../src/store/work-tree/git-index.ts'
import { eventually } from '../../contract/server.ts'
import { yieldAsOnServers } from '../../equal-priority.ts'

const NEVER = new AbortController().signal
const autogroup = (pid: number | string) => `/proc/${pid}/autogroup`
const noAutogroup = fs.existsSync(autogroup('self'))
  ? false
  : 'sessions are scheduled as groups by Linux alone, where it was built so'

function repository(t: Test) {
  const root = t.testdir({ 'a.json': '{}\n', folder: { 'b.json': '{}\n' } })
  const git = (...argv: string[]) => execFileSync('git', ['-C', root, ...argv], { encoding: 'utf8' }).trim()
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-q', '-m', 'first')
  return { root, git, reset: () => resetIndex(join(root, '.git'), root, NEVER) }
}

t.test('a repository that is away is not created', async t => {
  const away = join(t.testdir(), 'away', '.git')
  await t.rejects(runIn(away, ['status']), { code: 'ENOENT' })
  t.equal(fs.existsSync(join(away, '..')), false)
})

t.test('the version of the system git', async t => {
  t.match(await gitVersion(), /^\d+\.\d+/)
  t.equal(isAtLeast('2.36', OLDEST_GIT), true)
  t.equal(isAtLeast('3.0.1', OLDEST_GIT), true)
  t.equal(isAtLeast('2.35.9', OLDEST_GIT), false)
  t.equal(isAtLeast('1.99.5', OLDEST_GIT), false)
  t.equal(isAtLeast(undefined, OLDEST_GIT), false)
})

t.test('processes are counted while they run, and not those that never did', async t => {
  const { root } = repository(t)
  const before = gitProcesses()
  const child = startGit(['cat-file', '--batch'], { cwd: root, home: root, signal: AbortSignal.timeout(10_000) })
  t.equal(gitProcesses(), before + 1)
  await new Promise(resolve => child.once('exit', resolve))
  t.equal(gitProcesses(), before)
  await t.rejects(runGit(['--version'], { cwd: join(root, 'no such folder'), home: root }))
  t.equal(gitProcesses(), before)
})

t.test(
  'what runs in the background yields to others, as a process and as a session',
  { skip: noAutogroup },
  async t => {
    yieldAsOnServers()
    const { root } = repository(t)
    const signal = AbortSignal.timeout(10_000)
    const start = (inBackground: boolean) =>
      startGit(['cat-file', '--batch'], { cwd: root, home: root, input: null, inBackground, signal })
    const own = fs.readFileSync(autogroup('self'), 'utf8')
    const { writeFileSync } = fs
    const setWriteFileSync = (other: typeof writeFileSync) => {
      Object.assign(fs, { writeFileSync: other })
      syncBuiltinESMExports()
    }
    t.teardown(() => setWriteFileSync(writeFileSync))
    for (const [inBackground, priority, ofSession] of [
      [true, 10, 10],
      [false, getPriority(), 0],
    ] as const) {
      let refused = 0
      // As Linux does when anybody without privileges has done so a moment ago.
      setWriteFileSync((...call) => {
        if (refused++ === 0) throw Object.assign(new Error('try again'), { code: 'EAGAIN' })
        writeFileSync(...call)
      })
      const child = start(inBackground)
      t.equal(getPriority(child.pid), priority)
      const isTold = () => fs.readFileSync(autogroup(child.pid!), 'utf8').endsWith(` nice ${ofSession}\n`)
      t.ok(await eventually(isTold))
      child.stdin.end()
      await new Promise(resolve => child.once('exit', resolve))
    }
    t.equal(fs.readFileSync(autogroup('self'), 'utf8'), own, 'not its own')
  },
)

t.test('reset updates the index to HEAD, also when there was none or another one', async t => {
  const { root, git, reset } = repository(t)
  fs.unlinkSync(join(root, '.git', 'index'))
  t.equal(await reset(), true)
  t.equal(git('status', '--porcelain'), '')
  t.equal(git('diff-files', '--name-only'), '')
  fs.writeFileSync(join(root, 'c.json'), '{}\n')
  git('add', 'c.json')
  t.equal(await reset(), true)
  t.equal(git('ls-files'), 'a.json\nfolder/b.json')
  t.equal(fs.existsSync(join(root, 'c.json')), true, 'the work tree is not touched')
})

t.test('a locked index is another git at work', async t => {
  const { root, reset } = repository(t)
  fs.writeFileSync(join(root, '.git', 'index.lock'), '')
  t.equal(await reset(), false)
  t.equal(fs.existsSync(join(root, '.git', 'index.lock')), true)
})

t.test('what git refuses is a failure with its own words', async t => {
  const root = t.testdir({ '.git': {} })
  await t.rejects(resetIndex(join(root, '.git'), root, NEVER), Failure)
})

t.test("neither the repository's hooks nor the environment get a say", async t => {
  const { root, git, reset } = repository(t)
  const witness = join(root, '.git', 'witness')
  const hook = join(root, '.git', 'hooks', 'post-index-change')
  fs.mkdirSync(join(root, '.git', 'hooks'), { recursive: true })
  fs.writeFileSync(hook, `#!/bin/sh\ntouch '${witness}'\n`, { mode: 0o755 })
  git('update-index', '--force-remove', 'a.json')
  t.equal(fs.existsSync(witness), true, 'the hook works')
  fs.unlinkSync(witness)
  process.env.GIT_INDEX_FILE = join(root, 'elsewhere')
  t.teardown(() => delete process.env.GIT_INDEX_FILE)
  t.equal(await reset(), true)
  t.equal(fs.existsSync(witness), false)
  t.equal(fs.existsSync(join(root, 'elsewhere')), false)
})
