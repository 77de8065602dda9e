// It restores what it changes, so it shares its process (test/groups.mjs).
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { framesAtStart, Journal, type JournalCommit } from '../../../src/store/write/journal.ts'
import { newFolder } from '../../new-folder.ts'
import { journalCommit, newFile } from './journal-commit.ts'

const gone = {
  path: 'web/locales/de/gone.json',
  before: 'c'.repeat(40),
  after: null,
  base: null,
  data: Buffer.alloc(0),
}
const commit = (number: number, data = Buffer.from(`content ${number}`)) => journalCommit(number, [newFile(data), gone])

async function filled(path: string, epoch: number, batches: JournalCommit[][]): Promise<Journal> {
  const journal = await Journal.open(path)
  journal.begin(epoch)
  for (const batch of batches) await journal.append(batch)
  return journal
}

function read(path: string): { epoch: number; commits: JournalCommit[] } {
  const { epoch, commits } = framesAtStart(fs.readFileSync(path))
  return { epoch, commits }
}

t.test('what was appended is read back, batch after batch', async t => {
  const path = join(t.testdir(), 'journal')
  const commits = [commit(0), commit(1), commit(2, Buffer.alloc(100_000, 7)), commit(3, Buffer.from([0, 10, 255]))]
  const journal = await filled(path, 7, [[commits[0]!], commits.slice(1, 3), [commits[3]!]])
  t.same(read(path), { epoch: 7, commits })
  await journal.close()
})

t.test('a retired journal holds nothing', async t => {
  const path = join(t.testdir(), 'journal')
  const journal = await filled(path, 1, [[commit(0)]])
  await journal.retire()
  t.same(read(path).commits, [])
  await journal.remove()
  t.notOk(fs.existsSync(path))
})

t.test('what an earlier epoch left behind the end is not read', async t => {
  const path = join(t.testdir(), 'journal')
  const journal = await filled(path, 1, [[commit(0)], [commit(1)], [commit(2)]])
  journal.begin(2)
  await journal.append([commit(9)])
  // The frames are of one size, so the second frame of epoch 1 stands exactly where one of epoch 2 would.
  t.same(read(path).commits, [commit(9)])
  await journal.close()
})

t.test('a batch is read whole or not at all, wherever it is cut', async t => {
  const path = join(t.testdir(), 'journal')
  const journal = await filled(path, 3, [[commit(0)]])
  const first = journal.position
  await journal.append([commit(1), commit(2)])
  const end = journal.position
  await journal.close()
  const whole = fs.readFileSync(path)
  for (let cut = 0; cut < end; cut += 7) {
    const torn = Buffer.from(whole)
    torn.fill(0, cut, end)
    fs.writeFileSync(path, torn)
    const commits = read(path).commits
    t.same(commits, cut < first ? [] : [commit(0)], `zeros from byte ${cut}`)
    fs.writeFileSync(path, whole.subarray(0, cut))
    t.same(read(path).commits, cut < first ? [] : [commit(0)], `ends at byte ${cut}`)
  }
})

t.test('a large batch between small ones', async t => {
  const path = join(t.testdir(), 'journal')
  const large = commit(1, Buffer.alloc(3 * 2 ** 20 + 5, 'large'))
  const commits = [commit(0), large, commit(2), commit(3, Buffer.alloc(2 ** 20, 'x')), commit(4)]
  const journal = await filled(
    path,
    3,
    commits.map(commit => [commit]),
  )
  t.same(read(path), { epoch: 3, commits })
  // Over what is there already.
  journal.begin(4)
  await journal.append([commit(5)])
  await journal.append([large])
  t.same(read(path).commits, [commit(5), large])
  const end = journal.position
  await journal.close()
  const whole = fs.readFileSync(path)
  for (const at of [1000, 2 ** 20, 2 ** 21 + 100, end - 1]) {
    const damaged = Buffer.from(whole)
    damaged[at]! ^= 1
    fs.writeFileSync(path, damaged)
    t.same(read(path).commits, [commit(5)], `a bit at ${at}`)
  }
})

t.test('the system may write a large batch in any pieces', async t => {
  const { write } = fs
  t.teardown(() => Object.assign(fs, { write }))
  const commits = [commit(0, Buffer.alloc(700_000, 1)), commit(1, Buffer.alloc(700_000, 2)), commit(2)]
  for (const most of [100_000, 700_000, 1_300_000]) {
    const path = join(newFolder(t), 'journal')
    type Done = (error: null, count: number) => void
    Object.assign(fs, {
      write: (descriptor: number, bytes: Buffer, offset: number, length: number, position: number, done: Done) =>
        done(null, fs.writeSync(descriptor, bytes, offset, Math.min(length, most), position)),
    })
    const journal = await filled(path, 1, [[commit(8)], commits, [commit(9)]])
    t.same(read(path).commits, [commit(8), ...commits, commit(9)], `${most} bytes`)
    await journal.close()
  }
})

t.test('a flipped bit ends the reading', async t => {
  const path = join(t.testdir(), 'journal')
  const journal = await filled(path, 3, [[commit(0)], [commit(1)]])
  const end = journal.position
  await journal.close()
  const whole = fs.readFileSync(path)
  for (let at = end / 2; at < end; at += 11) {
    const spoilt = Buffer.from(whole)
    spoilt[at]! ^= 4
    fs.writeFileSync(path, spoilt)
    t.same(read(path).commits, [commit(0)], `bit of byte ${at}`)
  }
})

t.test('a journal that grew large gives its space back when it is retired', async t => {
  const path = join(t.testdir(), 'journal')
  const journal = await filled(path, 1, [[commit(0, Buffer.alloc(9 * 1024 * 1024))]])
  t.ok(fs.statSync(path).size > 9_000_000)
  await journal.retire()
  t.ok(fs.statSync(path).size < 1_000_000)
  await journal.close()
})
