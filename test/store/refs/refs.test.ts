import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { deleteRef, writeRef } from '../../../src/store/refs/change-refs.ts'
import { findRival, listRefs, readFolder, readRef, readRefs, readTag } from '../../../src/store/refs/read-refs.ts'
import { isTagName } from '../../../src/store/refs/tags.ts'
import { git } from '../git-cli.ts'

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
  for (const name of ['symbolic', 'empty', 'link', 'pipe', 'bad', 'none']) {
    t.equal(await readTag(gitDir, name), undefined, name)
  }
  for (const name of ['garbage', 'short', 'two']) {
    const said = { code: 'unavailable', message: new RegExp(`^refs/tags/${name} holds no id.*parlance server verify`) }
    await t.rejects(readTag(gitDir, name), said, 'a damaged one does not pass for one that is not there')
  }
})

t.test('refs are set and removed where git looks for them, and nothing else is touched', async t => {
  const cwd = t.testdir()
  git(cwd, 'init', '-q', '-b', 'main')
  git(cwd, ...PERSON, 'commit', '-q', '--allow-empty', '-m', 'one')
  const gitDir = join(cwd, '.git')
  fs.mkdirSync(join(gitDir, 'parlance'))
  const head = git(cwd, 'rev-parse', 'HEAD').trim()
  for (const name of ['a/1', 'a/2', 'b']) git(cwd, ...PERSON, 'tag', '-a', '-m', name, name)
  git(cwd, 'tag', 'light')
  git(cwd, 'pack-refs', '--all', '--prune')
  const show = () => git(cwd, 'for-each-ref', '--format=%(refname) %(objectname) %(*objectname)')
  const before = show()
  const packed = fs.readFileSync(join(gitDir, 'packed-refs'))

  await writeRef(gitDir, 'refs/tags/a/3', head)
  await writeRef(gitDir, 'refs/parlance/released/x/1', head)
  t.equal(await readRef(gitDir, 'refs/parlance/released/x/1'), head)
  t.equal(git(cwd, 'rev-parse', 'refs/tags/a/3').trim(), head)
  t.strictSame(fs.readFileSync(join(gitDir, 'packed-refs')), packed)
  await deleteRef(gitDir, 'refs/tags/a/3')
  await deleteRef(gitDir, 'refs/parlance/released/x/1')
  t.equal(show(), before)
  t.strictSame(fs.readFileSync(join(gitDir, 'packed-refs')), packed, 'what it does not hold does not change it')

  for (const name of ['a/2', 'light', 'b', 'a/1']) {
    const rest = show().replace(new RegExp(`^refs/tags/${name} .*\n`, 'm'), '')
    await deleteRef(gitDir, `refs/tags/${name}`)
    t.equal(show(), rest, `without ${name}`)
    await deleteRef(gitDir, `refs/tags/${name}`)
    t.equal(show(), rest, 'and again')
  }
  await writeRef(gitDir, 'refs/tags/a', head)
  t.equal(git(cwd, 'rev-parse', 'refs/tags/a').trim(), head, 'an empty folder is not in the way')
  git(cwd, 'pack-refs', '--all', '--prune')
  git(cwd, ...PERSON, 'commit', '-q', '--allow-empty', '-m', 'two')
  git(cwd, 'tag', '-f', 'a')
  await deleteRef(gitDir, 'refs/tags/a')
  t.equal(await readTag(gitDir, 'a'), undefined, 'neither the file is left nor the older line')
  t.equal(git(cwd, 'fsck', '--strict', '--no-dangling'), '')
  t.strictSame(
    fs.readdirSync(gitDir).filter(name => name.endsWith('.lock')),
    [],
  )
})

t.test('a folder of refs, and what stands in the way', async t => {
  const [one, two] = ['1'.repeat(40), '2'.repeat(40)]
  const gitDir = t.testdir({
    'packed-refs': `# pack-refs with: peeled fully-peeled sorted \n${one} refs/heads/web/x\n${one} refs/tags/web/packed\n^${two}\n${one} refs/tags/web/v1\n`,
    refs: { tags: { web: { v1: `${two}\n`, 'v2.lock': '', garbage: 'x', deep: { er: `${one}\n` } }, top: `${one}\n` } },
  })
  const damaged = { code: 'unavailable', message: /^refs\/tags\/web\/garbage holds no id/ }
  await t.rejects(readFolder(gitDir, 'refs/tags/web/'), damaged, 'a list that lacks one would not be true')
  t.strictSame((await readRefs(gitDir, 'refs/tags/web/')).size, 3, 'what goes through all refs passes it over')
  fs.writeFileSync(join(gitDir, 'refs/tags/web/garbage'), '')
  t.strictSame(
    new Map([...(await readFolder(gitDir, 'refs/tags/web/'))].sort()),
    new Map([
      ['packed', one],
      ['v1', two],
    ]),
  )
  t.strictSame((await readFolder(gitDir, 'refs/tags/none/')).size, 0)
  const all = ['top', 'web/deep/er', 'web/garbage', 'web/packed', 'web/v1'].map(name => `refs/tags/${name}`)
  t.strictSame((await listRefs(gitDir, 'refs/tags/')).sort(), all)
  const rivals: [name: string, rival: string | undefined][] = [
    ['web/v1', 'web/v1'],
    ['web/V1', 'web/v1'],
    ['WEB/packed', 'web/packed'],
    ['web/deep', 'web/deep/er'],
    ['Top/v1', 'top'],
    ['web/garbage', 'web/garbage'],
    ['web/v2', undefined],
    ['web/v', undefined],
    ['web/v11', undefined],
    ['topper/v1', undefined],
  ]
  for (const [name, rival] of rivals) {
    t.equal(await findRival(gitDir, `refs/tags/${name}`, 'refs/tags/'), rival && `refs/tags/${rival}`, name)
  }
})

t.test('locks', async t => {
  const gitDir = t.testdir({ refs: { tags: {} }, parlance: {} })
  const lock = join(gitDir, 'refs/tags/v1.lock')
  const id = '1'.repeat(40)
  fs.writeFileSync(lock, `${id}\n`)
  const busy = { code: 'unavailable', message: /Someone's git/ }
  await t.rejects(writeRef(gitDir, 'refs/tags/v1', id), busy, "a person's git is at it")
  fs.writeFileSync(lock, `${id}\n`)
  await t.rejects(deleteRef(gitDir, 'refs/tags/v1'), busy)
  t.equal(fs.readFileSync(lock, 'utf8'), `${id}\n`, 'and its lock is left alone')
  fs.writeFileSync(lock, '')
  await t.rejects(writeRef(gitDir, 'refs/tags/v1', id), busy, 'perhaps it has only begun')
  fs.utimesSync(lock, 0, 0)
  await writeRef(gitDir, 'refs/tags/v1', id)
  fs.writeFileSync(lock, 'parlance\n')
  await deleteRef(gitDir, 'refs/tags/v1')
  t.notOk(fs.existsSync(lock), 'one that was left by a kill is replaced')
  fs.writeFileSync(join(gitDir, 'packed-refs.lock'), 'x')
  await writeRef(gitDir, 'refs/tags/v1', id)
  await t.rejects(deleteRef(gitDir, 'refs/tags/v1'), busy)
  t.equal(await readTag(gitDir, 'v1'), id, 'it is there as before')
  t.notOk(fs.existsSync(lock))
  fs.writeFileSync(join(gitDir, 'packed-refs.lock'), 'x')
  setTimeout(() => fs.rmSync(join(gitDir, 'packed-refs.lock')), 300)
  await deleteRef(gitDir, 'refs/tags/v1')
  t.equal(await readTag(gitDir, 'v1'), undefined, 'one that is held for a moment is waited for')
})
