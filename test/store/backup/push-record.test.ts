import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  hasJournal,
  readPushRecord,
  refsToPush,
  sameRefs,
  writePushRecord,
} from '../../../src/store/backup/push-record.ts'
import { BackupRemote } from '../../../src/store/backup/remote.ts'
import { noGit } from '../../http/git-client.ts'
import { git } from '../git-cli.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)

t.test('what was pushed is remembered for that very remote', async t => {
  const gitDir = t.testdir({ parlance: {} })
  const remote = BackupRemote.parse('https://x:old@example.com/{organization}', 'x')
  t.equal(await readPushRecord(gitDir, remote), undefined)
  const pushed = {
    at: 1_700_000_000_000,
    refs: new Map([
      ['refs/heads/main', A],
      ['refs/tags/__proto__', B],
    ]),
  }
  await writePushRecord(gitDir, remote, pushed)
  t.strictSame(await readPushRecord(gitDir, remote), pushed)
  t.strictSame(
    await readPushRecord(gitDir, BackupRemote.parse('https://y:new@example.com/{organization}', 'x')),
    pushed,
  )
  t.equal(await readPushRecord(gitDir, BackupRemote.parse('https://example.com/other/{organization}', 'x')), undefined)
  t.notMatch(fs.readFileSync(join(gitDir, 'parlance', 'pushed'), 'utf8'), /old|example/)
  for (const text of ['', '{', 'null', '[]', '{"remote":1}']) {
    fs.writeFileSync(join(gitDir, 'parlance', 'pushed'), text)
    t.equal(await readPushRecord(gitDir, remote), undefined, text)
  }
})

t.test('the refs that are pushed, wherever git stores them', { skip: noGit }, async t => {
  const work = t.testdir()
  const gitDir = join(work, '.git')
  git('/', 'init', '-q', '-b', 'main', work)
  t.strictSame(await refsToPush(gitDir), new Map())
  git(work, '-c', 'user.name=A', '-c', 'user.email=a@x', 'commit', '-q', '--allow-empty', '-m', 'x')
  const id = git(work, 'rev-parse', 'main').trim()
  for (const ref of ['refs/tags/web/1', 'refs/parlance/released/web/0', 'refs/heads/other', 'refs/notes/x'])
    git(work, 'update-ref', ref, id)
  const expected = ['refs/heads/main', 'refs/parlance/released/web/0', 'refs/tags/web/1']
  t.strictSame([...(await refsToPush(gitDir)).keys()].sort(), expected)
  git(work, 'pack-refs', '--all')
  t.strictSame([...(await refsToPush(gitDir)).keys()].sort(), expected)
  fs.writeFileSync(join(gitDir, 'refs', 'heads', 'main.lock'), '')
  git(work, 'tag', 'loose')
  t.strictSame([...(await refsToPush(gitDir)).keys()].sort(), [...expected, 'refs/tags/loose'].sort())
  t.strictSame([...new Set((await refsToPush(gitDir)).values())], [id])
})

t.test('two states of refs are one or not', async t => {
  t.ok(
    sameRefs(
      new Map([
        ['a', A],
        ['b', B],
      ]),
      new Map([
        ['b', B],
        ['a', A],
      ]),
    ),
  )
  t.notOk(sameRefs(new Map([['a', A]]), new Map([['a', B]])))
  t.notOk(
    sameRefs(
      new Map([['a', A]]),
      new Map([
        ['a', A],
        ['b', B],
      ]),
    ),
  )
})

t.test('a journal that was left shows writes that are in no ref', async t => {
  const gitDir = t.testdir({ parlance: { head: '' } })
  t.equal(await hasJournal(gitDir), false)
  t.equal(await hasJournal(join(gitDir, 'nowhere')), false)
  fs.writeFileSync(join(gitDir, 'parlance', 'journal-7'), '')
  t.equal(await hasJournal(gitDir), true)
})
