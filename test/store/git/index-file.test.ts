/** Git's index as it is changed here, beside what git itself makes of the same changes. */
import { execFile, execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { GitIndex } from '../../../src/store/git/git-index.ts'
import { changeIndex, fileStat, type IndexChange } from '../../../src/store/git/index-file.ts'
import { openStore } from './many-packs.ts'

const NEVER = new AbortController().signal
const NOTHING = { written: Number.POSITIVE_INFINITY, stat: () => undefined }

function repository(t: Test, files: Record<string, string> = { 'a.json': '{}\n', 'web/b.json': '{"b":1}\n' }) {
  const root = t.testdir({})
  const git = (...argv: string[]) =>
    execFileSync('git', ['-C', root, ...argv], { encoding: 'utf8', stdio: 'pipe' }).trimEnd()
  const write = (path: string, text: string) => {
    fs.mkdirSync(join(root, path, '..'), { recursive: true })
    fs.writeFileSync(join(root, path), text)
  }
  git('init', '-q', '-b', 'main')
  for (const [path, text] of Object.entries(files)) write(path, text)
  git('add', '.')
  git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-q', '-m', 'first')
  const gitDir = join(root, '.git')
  /** The entry of a file as it stands there, whose object git gets too. */
  const standing = (path: string) => ({
    id: git('hash-object', '-w', '--', join(root, path)),
    stat: fileStat(join(root, path)),
  })
  const read = () => fs.readFileSync(join(gitDir, 'index'))
  return { root, git, gitDir, write, standing, read, index: new GitIndex(gitDir, root, NEVER) }
}

/** What git is asked to do while the work goes on: its commands, without `git --version`. */
async function withoutGit(t: Test, root: string, work: () => Promise<unknown>): Promise<void> {
  const witness = join(root, '.git', 'started')
  const path = process.env.PATH
  const bin = join(root, '.git', 'bin')
  fs.mkdirSync(bin)
  fs.writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${witness}'\nPATH='${path}' exec git "$@"\n`, {
    mode: 0o755,
  })
  process.env.PATH = `${bin}:${path}`
  await work().finally(() => (process.env.PATH = path))
  t.notOk(fs.existsSync(witness), 'git was not started')
}

t.test('entries are set and taken out, with all that git wants to know of a file', async t => {
  const { root, git, write, standing, index } = repository(t)
  write('web/new.json', '{"new":true}\n')
  write('a.json', '{"a":1}\n')
  fs.unlinkSync(join(root, 'web/b.json'))
  const changes = new Map<string, IndexChange>([
    ['web/new.json', standing('web/new.json')],
    ['a.json', standing('a.json')],
    ['web/b.json', null],
    ['never/there.json', null],
  ])
  await withoutGit(t, root, async () => t.equal(await index.update(changes), 'done'))
  t.equal(git('diff-files', '--name-only'), '', 'nothing has to be read')
  t.equal(git('status', '--porcelain'), 'M  a.json\nD  web/b.json\nA  web/new.json')
  t.equal(git('ls-files', '-s', 'a.json'), `100644 ${git('hash-object', 'a.json')} 0\ta.json`)
  const ours = git('ls-files', '--debug')
  git('update-index', '--force-remove', 'a.json', 'web/new.json')
  git('update-index', '--add', 'a.json', 'web/new.json')
  t.equal(git('ls-files', '--debug'), ours, 'as git notes it')
  t.notOk(fs.existsSync(join(root, '.git/parlance/index.tmp')))
  t.equal(git('fsck', '--strict'), '')
})

t.test('a store starts git when an organization is written to first, and then for no write', async t => {
  const { store, put, workTree } = await openStore(t)
  const git = (...argv: string[]) => execFileSync('git', ['-C', workTree, ...argv], { encoding: 'utf8' })
  await put('web/a.json', 1)
  await store.flush('acme')
  await withoutGit(t, workTree, async () => {
    for (let version = 2; version < 5; version++) {
      await put('web/a.json', version)
      await put(`web/new${version}.json`, version)
      await store.flush('acme')
    }
  })
  t.equal(git('diff-files', '--name-only'), '')
  t.equal(git('status', '--porcelain'), '')
  t.equal(git('ls-files').split('\n').length, 5)
})

t.test('any changes, as git makes them', async t => {
  const { git, gitDir, root } = repository(t)
  const id = git('rev-parse', 'HEAD:a.json')
  const other = git('rev-parse', 'HEAD:web/b.json')
  // Around the order of names: what comes before a slash, long names, other scripts, a name as long as a length can say, and longer.
  const names = [
    'a',
    'a-',
    'a.',
    'a/b',
    'a0',
    'Z',
    'ä/ö',
    '日本/語',
    'web/locales/en/x.json',
    'x'.repeat(4095),
    'y'.repeat(5000),
  ]
  const change = fc.tuple(fc.constantFrom(...names), fc.constantFrom<IndexChange>({ id }, { id: other }, null))
  let checked = 0
  const environment = (file: string) => ({ ...process.env, GIT_INDEX_FILE: file })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 8 }), fc.array(change, { maxLength: 8 }), async (first, then) => {
      const [ours, theirs] = [join(gitDir, 'ours'), join(gitDir, 'theirs')]
      for (const file of [ours, theirs]) fs.rmSync(file, { force: true })
      const set = (file: string, changes: Map<string, IndexChange>) => {
        const lines = [...changes].map(([path, to]) =>
          to ? `100644 ${to.id}\t${path}\0` : `0 ${'0'.repeat(40)}\t${path}\0`,
        )
        const options = { cwd: root, env: environment(file), input: lines.join('') }
        execFileSync('git', ['update-index', '-z', '--index-info'], options)
      }
      set(ours, new Map(first))
      if (!fs.existsSync(ours)) return
      fs.copyFileSync(ours, theirs)
      const changed = changeIndex(fs.readFileSync(ours), new Map(then), NOTHING)
      if (changed === undefined) return
      checked++
      fs.writeFileSync(ours, changed)
      set(theirs, new Map(then))
      const list = (file: string) =>
        execFileSync('git', ['ls-files', '-z', '-s'], { cwd: root, env: environment(file), encoding: 'utf8' })
      if (list(ours) !== list(theirs)) throw new Error(`${list(ours)} in place of ${list(theirs)}`)
    }),
    { numRuns: 60 },
  )
  t.ok(checked > 20, `${checked} were made here`)
})

t.test('what only git should change is left to it', async t => {
  const { root, git, write, read, standing, index } = repository(t)
  const id = git('rev-parse', 'HEAD:a.json')
  const change = (changes: [string, IndexChange][], bytes = read()) => changeIndex(bytes, new Map(changes), NOTHING)
  t.ok(change([['a.json', { id }]]))
  t.equal(change([['a.json/b', { id }]]), undefined, 'a folder where a file is')
  t.equal(change([['web', { id }]]), undefined, 'a file where a folder is')
  for (let at = 0; at < read().length; at += 7) {
    const bytes = read()
    bytes[at]! ^= 0x10
    t.equal(change([['a.json', { id }]], bytes), undefined, `damage at ${at}`)
  }
  for (const length of [0, 11, 12, 40, read().length - 1]) {
    t.equal(change([['a.json', { id }]], read().subarray(0, length)), undefined, `cut at ${length}`)
  }
  write('new.json', '{}\n')
  for (const [what, ...command] of [
    ['another version', 'update-index', '--index-version=4'],
    ['extended flags', 'update-index', '--index-version=2', '--skip-worktree', 'web/b.json'],
    ['a split index', 'update-index', '--no-skip-worktree', '--split-index', 'web/b.json'],
  ] as const) {
    git(...command)
    t.equal(change([['a.json', { id }]]), undefined, what)
    t.equal(await index.update(new Map([['new.json', standing('new.json')]])), 'done')
    t.match(git('ls-files'), /^new\.json$/m, `${what}: git did it`)
    t.equal(git('diff-files', '--name-only'), '')
    git('rm', '-q', '--cached', 'new.json')
  }
  git('update-index', '--no-split-index')
  t.ok(change([['a.json', { id }]]))
  const conflict = [1, 2, 3].map(stage => `100644 ${id} ${stage}\ta.json\n`).join('')
  execFileSync('git', ['-C', root, 'update-index', '--index-info'], {
    input: `0 ${'0'.repeat(40)}\ta.json\n${conflict}`,
  })
  t.equal(change([['web/b.json', { id }]]), undefined, 'a conflict')
})

t.test('a change within the second in which the index was written is still seen', async t => {
  const { root, git, write, standing, index } = repository(t)
  const path = join(root, 'a.json')
  const second = () => [
    fs.statSync(path).mtimeMs,
    fs.statSync(path).ctimeMs,
    fs.statSync(join(root, '.git/index')).mtimeMs,
  ]
  let [first, last] = [[0], [1000]]
  while (new Set([...first, ...last].map(time => Math.floor(time / 1000))).size > 1) {
    fs.writeFileSync(path, '{"a":1}\n')
    git('add', 'a.json')
    first = second()
    fs.writeFileSync(path, '{"a":2}\n')
    last = second()
  }
  await pause(1100)
  write('new.json', '{}\n')
  const changes = new Map([['new.json', standing('new.json')]])
  await withoutGit(t, root, async () => t.equal(await index.update(changes), 'done'))
  t.match(git('diff-files', '--name-only'), /a\.json/)
})

t.test('who changes the index at the same time loses nothing', async t => {
  const { root, git, write, standing, index } = repository(t)
  const run = promisify(execFile)
  const theirs = Array.from({ length: 40 }, (_, at) => `theirs${at}.json`)
  const ours = Array.from({ length: 150 }, (_, at) => `ours${at}.json`)
  for (const path of [...theirs, ...ours]) write(path, `{"${path}":1}\n`)
  const entries = new Map(ours.map(path => [path, standing(path)]))
  const isAdded = (path: string) =>
    run('git', ['-C', root, 'add', path]).then(
      () => true,
      () => false,
    )
  let over = false
  const others = (async () => {
    // As somebody does whom git tells that the index is locked just now.
    for (const path of theirs) while (!(await isAdded(path))) await pause(1)
    over = true
  })()
  let rounds = 0
  let locked = 0
  for (; rounds < ours.length || !over; rounds++) {
    const path = ours[rounds % ours.length]!
    while ((await index.update(new Map([[path, entries.get(path)!]]))) === 'locked') {
      locked++
      await pause(1)
    }
  }
  await others
  t.equal(
    git('status', '--porcelain')
      .split('\n')
      .filter(line => line.startsWith('A  ')).length,
    190,
  )
  t.comment(`${rounds} rounds, ${locked} times locked`)
})

t.test('an index that somebody changes between reading and replacing is theirs', async t => {
  const { root, git, write, standing, index } = repository(t)
  for (const path of ['theirs.json', 'ours.json']) write(path, '{}\n')
  const { linkSync } = fs
  const restore = () => {
    Object.assign(fs, { linkSync })
    syncBuiltinESMExports()
  }
  t.teardown(restore)
  Object.assign(fs, {
    linkSync(from: string, to: string) {
      restore()
      git('add', 'theirs.json')
      linkSync(from, to)
    },
  })
  syncBuiltinESMExports()
  t.equal(await index.update(new Map([['ours.json', standing('ours.json')]])), 'done')
  t.equal(git('ls-files'), 'a.json\nours.json\ntheirs.json\nweb/b.json')
  t.strictSame(
    fs.readdirSync(join(root, '.git')).filter(name => name.endsWith('.lock')),
    [],
  )
})

t.test('a lock left by a kill goes at the next start, and anybody else’s stays', async t => {
  const { root, git, index } = repository(t)
  const [lock, fresh] = [join(root, '.git/index.lock'), join(root, '.git/parlance/index.tmp')]
  await index.update(new Map())
  fs.copyFileSync(join(root, '.git/index'), fresh)
  fs.linkSync(fresh, lock)
  t.throws(() => git('add', '.'))
  t.equal(await new GitIndex(join(root, '.git'), root, NEVER).reset(), 'done')
  t.equal(git('status', '--porcelain'), '')
  // Killed after the renaming: the fresh index is a second name of the index.
  fs.linkSync(join(root, '.git/index'), fresh)
  t.equal(await index.update(new Map([['a.json', null]])), 'done')
  t.equal(git('ls-files'), 'web/b.json')
  fs.writeFileSync(fresh, '')
  fs.writeFileSync(lock, '')
  t.equal(await index.reset(), 'locked')
  t.equal(await index.update(new Map([['web/b.json', null]])), 'locked')
  t.ok(fs.existsSync(lock))
})
