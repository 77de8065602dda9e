import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { AccountsRepository, type AccountsSource } from '../../../src/store/backup/accounts.ts'
import { eventually } from '../../eventually.ts'
import { noGit } from '../../http/git-client.ts'
import { random } from '../../random.ts'
import { commitCount, fsck, git } from '../git-cli.ts'

if (noGit) t.bailout(noGit)
t.setTimeout(0)
const run = promisify(execFile)

/** Accounts that are the bytes given. */
const bytes = (content: Buffer | string, organizations: string[] = []): AccountsSource => ({
  changes: () => 0,
  snapshot: async (file, known) => {
    const digest = String(content).slice(0, 20)
    fs.writeFileSync(file, digest === known ? 'worth nothing' : content, { flag: 'wx' })
    return { digest, organizations }
  },
})

async function open(t: Test) {
  const folder = join(t.testdir(), 'backup')
  const repository = await AccountsRepository.open(folder)
  const show = (name: string) => git(repository.gitDir, 'show', `main:${name}`)
  return { folder, repository, show, manifest: () => JSON.parse(show('manifest.json')) }
}

const nothing = () => true
const all = () => false

t.test('a commit for each state that says something new, and no other', async t => {
  const { folder, repository, show, manifest } = await open(t)
  t.equal(await repository.update(bytes('one', ['b', 'a']), nothing), true)
  t.equal(show('parlance.sqlite'), 'one')
  t.match(manifest(), { format: 1, digest: 'one', organizations: ['b', 'a'], empty: ['b', 'a'] })
  t.equal(await repository.update(bytes('one', ['b', 'a']), nothing), false)
  t.equal(await repository.update(bytes('one', ['b', 'a']), id => id === 'a'), true, 'the remote has one more')
  t.strictSame([manifest().empty, show('parlance.sqlite')], [['a'], 'one'], 'beside the same database')
  t.equal(await repository.update(bytes('two', ['b']), all), true)
  t.strictSame([manifest().organizations, manifest().empty, show('parlance.sqlite')], [['b'], [], 'two'])
  t.equal(commitCount(repository.gitDir), 3)
  t.equal(fsck(repository.gitDir), '')
  t.strictSame(fs.readdirSync(folder), ['accounts.git'], 'no copy of the database is left about')
  t.equal(fs.statSync(folder).mode & 0o777, 0o700)

  const again = await AccountsRepository.open(folder)
  t.equal(await again.update(bytes('two', ['b']), all), false, 'also after a restart')
  t.equal(await again.update(bytes('three', ['b']), all), true)
  t.equal(commitCount(repository.gitDir), 4)
})

t.test('bytes of any kind, and of any size', async t => {
  const { repository } = await open(t)
  const content = Buffer.alloc(3_000_000, 'SQLite\r\n\0')
  content[content.length - 1] = 0xff
  await repository.update(bytes(content), all)
  t.equal(git(repository.gitDir, 'cat-file', '-s', 'main:parlance.sqlite').trim(), '3000000')
  fs.writeFileSync(join(repository.gitDir, '..', 'content'), content)
  const id = git(repository.gitDir, 'hash-object', '--no-filters', join(repository.gitDir, '..', 'content')).trim()
  t.equal(git(repository.gitDir, 'rev-parse', 'main:parlance.sqlite').trim(), id)
})

t.test('completes what was cut short before', async t => {
  const { folder, repository } = await open(t)
  await repository.update(bytes('one'), all)
  fs.writeFileSync(join(folder, 'snapshot.sqlite'), 'half')
  fs.writeFileSync(join(folder, 'snapshot.sqlite-journal'), 'half')
  const again = await AccountsRepository.open(folder)
  t.equal(await again.update(bytes('two'), all), true)
  t.strictSame(fs.readdirSync(folder), ['accounts.git'])
  fs.rmSync(join(again.gitDir, 'objects'), { recursive: true })
  fs.rmSync(join(again.gitDir, 'refs'), { recursive: true })
  const unfinished = await AccountsRepository.open(folder)
  t.equal(await unfinished.update(bytes('three'), all), true, 'a creation that a crash ended')
  t.equal(commitCount(unfinished.gitDir), 1)
})

t.test('a person throws away what no ref leads to, all the while', async t => {
  const { repository } = await open(t)
  await repository.update(bytes('first'), all)
  const ended = new AbortController()
  const collect = async () => {
    let rounds = 0
    for (; !ended.signal.aborted; rounds++) {
      // It may find that the server's own is at it.
      await run('git', ['-C', repository.gitDir, 'gc', '-q', '--prune=now']).catch(() => {})
      await pause(rounds % 20)
    }
    return rounds
  }
  const collecting = collect()
  const COMMITS = 24
  // As a backup does, again: on a slow machine the person may come first three times in a row.
  const updated = (n: number) => async () => {
    try {
      return await repository.update(bytes(`state ${n}`), all)
    } catch {
      return false
    }
  }
  for (let n = 0; n < COMMITS; n++) t.ok(await eventually(updated(n)))
  ended.abort()
  t.ok((await collecting) > COMMITS / 4, 'they met')
  t.equal(commitCount(repository.gitDir), COMMITS + 1)
  t.equal(fsck(repository.gitDir), '')
})

t.test('its size stays near that of what changed', async t => {
  const { repository } = await open(t)
  // A database of pages that do not compress. One page changes each time.
  const pages = Buffer.alloc(200_000)
  for (let at = 0; at < pages.length; at++) pages[at] = Math.floor(random() * 256)
  const size = () => {
    const files = fs
      .readdirSync(repository.gitDir, { recursive: true })
      .map(name => join(repository.gitDir, String(name)))
    return files.reduce((sum, file) => sum + fs.statSync(file).size, 0)
  }
  // Two times git finds too many packs and merges them.
  const COMMITS = 40
  for (let i = 0; i < COMMITS; i++) {
    pages.writeUInt32BE(i, 4096 * (i % 45))
    const source = bytes(pages)
    await repository.update(
      { ...source, snapshot: async file => ({ ...(await source.snapshot(file)), digest: String(i) }) },
      all,
    )
  }
  t.equal(commitCount(repository.gitDir), COMMITS)
  t.ok(size() < (COMMITS * pages.length) / 4, `${size()} bytes for ${COMMITS} states of ${pages.length}`)
  t.equal(fsck(repository.gitDir), '')
})
