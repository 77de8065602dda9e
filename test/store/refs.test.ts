import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isTagName, readTag } from '../../src/store/refs.ts'
import { git } from './git-cli.ts'

const PERSON = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com', '-c', 'tag.gpgSign=false']

t.test('what may name a tag is what git says, white space and a leading hyphen apart', async t => {
  const good = ['v1', 'web/v1', 'a/b/c', 'ü', 'a-b', 'a.b', 'a@b', '{', 'HEAD', '2026-11-20', 'x'.repeat(250)]
  const bad = [
    ...[
      '',
      '/',
      'a/',
      '/a',
      'a//b',
      '.a',
      'a/.b',
      '..',
      'a..b',
      '../a',
      'a.',
      'a.lock',
      'a.lock/b',
      '@',
      '@{1}',
      'a@{b',
    ],
    ...[
      'a b',
      'a\tb',
      'a\n',
      'a\0',
      'a\x7f',
      'HEAD~1',
      '^a',
      'a^',
      ':/a',
      'a:b',
      'a?',
      'a*',
      'a[',
      'a\\b',
      'a\u00a0b',
      '\ud800',
    ],
    ...['-a', 'a/-b', 'x'.repeat(251)],
  ]
  for (const name of good) t.ok(isTagName(name), name)
  for (const name of bad) t.notOk(isTagName(name), JSON.stringify(name))
  for (const name of [...good, ...bad].filter(name => !/[\0\ud800]/.test(name))) {
    const { status } = spawnSync('git', ['check-ref-format', `refs/tags/${name}`])
    if (status !== 0) t.notOk(isTagName(name), `git refuses ${JSON.stringify(name)}`)
  }
})

t.test('tags as git stores them', async t => {
  const cwd = t.testdir()
  git(cwd, 'init', '-q', '-b', 'main')
  git(cwd, ...PERSON, 'commit', '-q', '--allow-empty', '-m', 'one')
  git(cwd, ...PERSON, 'tag', '-a', '-m', 'first', 'web/v1')
  git(cwd, 'tag', 'light')
  const gitDir = join(cwd, '.git')
  const id = (name: string) => git(cwd, 'rev-parse', `refs/tags/${name}`).trim()
  for (const where of ['loose', 'packed']) {
    for (const name of ['web/v1', 'light']) t.equal(await readTag(gitDir, name), id(name), `${name}, ${where}`)
    for (const name of [
      'web',
      'v1',
      'web/v',
      'web/v11',
      'web/v1/x',
      'light/x',
      'ight',
      '../heads/main',
      'x'.repeat(300),
    ]) {
      t.equal(await readTag(gitDir, name), undefined, `${name}, ${where}`)
    }
    git(cwd, 'pack-refs', '--all', '--prune')
  }
  t.notOk(fs.existsSync(join(gitDir, 'refs/tags/light')))
  git(cwd, ...PERSON, 'commit', '-q', '--allow-empty', '-m', 'two')
  git(cwd, 'tag', '-f', 'light')
  t.equal(await readTag(gitDir, 'light'), git(cwd, 'rev-parse', 'HEAD').trim(), 'a file counts more than packed-refs')
})

t.test('what is no plain tag is as good as absent', async t => {
  const head = '1'.repeat(40)
  const gitDir = t.testdir({
    'packed-refs': `# pack-refs with: peeled fully-peeled sorted \n${head} refs/tags/packed\nnonsense refs/tags/bad\n^${head}\n`,
    refs: {
      heads: { main: `${head}\n` },
      tags: {
        symbolic: 'ref: refs/heads/main\n',
        garbage: 'x'.repeat(100_000),
        short: '1234\n',
        two: `${head}\n${head}\n`,
        empty: '',
        link: t.fixture('symlink', '../heads/main'),
        bare: head,
      },
    },
  })
  spawnSync('mkfifo', [join(gitDir, 'refs/tags/pipe')])
  t.equal(await readTag(gitDir, 'bare'), head)
  t.equal(await readTag(gitDir, 'packed'), head)
  for (const name of ['symbolic', 'garbage', 'short', 'two', 'empty', 'link', 'pipe', 'bad', 'none']) {
    t.equal(await readTag(gitDir, name), undefined, name)
  }
})
