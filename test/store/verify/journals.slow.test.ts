import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { inspectJournal } from '../../../src/store/write/inspect-journal.ts'
import { Journal, type JournalCommit } from '../../../src/store/write/journal.ts'
import { journalCommit, newFile } from '../write/journal-commit.ts'

const commit = (number: number) => journalCommit(number, [newFile(Buffer.from('{}\n'))])

/** A journal of three frames over what an earlier epoch left, and where each of them ends. */
async function threeFrames(folder: string): Promise<{ bytes: Buffer; ends: number[] }> {
  const path = join(folder, 'journal')
  const journal = await Journal.open(path)
  journal.begin(4)
  for (let number = 90; number < 96; number++) await journal.append([commit(number)])
  await journal.retire()
  journal.begin(7)
  const ends: number[] = []
  for (let number = 0; number < 3; number++) {
    await journal.append([commit(number)])
    ends.push(journal.position)
  }
  await journal.close()
  return { bytes: fs.readFileSync(path), ends }
}

const ids = (commits: JournalCommit[]) => commits.map(({ after }) => Number(after))

t.test('a whole journal ends cleanly, with anything of an earlier epoch behind it', async t => {
  const { bytes } = await threeFrames(t.testdir())
  const { commits, epoch, end, behind } = inspectJournal(bytes)
  t.strictSame([ids(commits), epoch, end, behind], [[0, 1, 2], 7, 'clean', []])
})

t.test('an empty and a retired journal hold nothing of their own', async t => {
  const path = join(t.testdir(), 'journal')
  const journal = await Journal.open(path)
  t.match(inspectJournal(fs.readFileSync(path)), { commits: [], end: 'clean', behind: [] })
  journal.begin(1)
  await journal.append([commit(1)])
  await journal.append([commit(2)])
  await journal.retire()
  const { commits, end, behind } = inspectJournal(fs.readFileSync(path))
  t.strictSame([commits, end], [[], 'clean'])
  t.strictSame(ids(behind), [2], "git's objects decide whether it matters")
  t.match(inspectJournal(Buffer.alloc(0)), { commits: [], end: 'clean', behind: [] })
  await journal.close()
})

t.test('whichever byte is flipped before the last frame, the whole frames behind it are found', async t => {
  const { bytes, ends } = await threeFrames(t.testdir())
  for (let at = 0; at < ends[1]!; at++) {
    const damaged = Buffer.from(bytes)
    damaged[at]! ^= 0x10
    const { commits, behind } = inspectJournal(damaged)
    const hit = at < ends[0]! ? 0 : 1
    const wanted = [0, 1, 2].filter(number => number > hit)
    const found = ids(behind).filter(id => id < 90)
    if (commits.length !== hit || wanted.some(number => !found.includes(number))) {
      t.fail(`byte ${at}: ${ids(commits)} then ${found}`)
    }
  }
})

t.test('whichever byte of the last frame is flipped, it is not passed over', async t => {
  const { bytes, ends } = await threeFrames(t.testdir())
  for (let at = ends[1]!; at < ends[2]!; at++) {
    const damaged = Buffer.from(bytes)
    damaged[at]! ^= 0x10
    const { commits, end, behind } = inspectJournal(damaged)
    if (commits.length !== 2 || end === 'clean' || behind.length > 0) t.fail(`byte ${at}: ${end}`)
    // A garbled length may seem to run past the end of the file.
    if (end !== 'unreadable' && at >= ends[1]! + 4) t.fail(`byte ${at}: ${end}`)
  }
})

t.test('wherever the last frame was cut off, nothing counts as lost', async t => {
  const path = join(t.testdir(), 'journal')
  const journal = await Journal.open(path)
  journal.begin(3)
  await journal.append([commit(0)])
  const first = journal.position
  await journal.append([commit(1)])
  const last = journal.position
  await journal.close()
  const bytes = fs.readFileSync(path)
  for (let at = first; at < last; at++) {
    const unwritten = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(bytes.length - at)])
    for (const cut of [unwritten, bytes.subarray(0, at)]) {
      const { commits, end, behind } = inspectJournal(cut)
      if (ids(commits).join() !== '0' || behind.length > 0) t.fail(`byte ${at}`)
      // Too few zeros of unwritten bytes may be left.
      const inSum = at > first + 34 - 8 && at < first + 34
      if (end === 'unreadable' && at < last - 8 && !inSum) t.fail(`byte ${at}: ${end}`)
    }
  }
})

t.test('a search through garbage ends, and soon', async t => {
  const garbage = Buffer.alloc(4 * 1024 * 1024, 0x01)
  t.match(inspectJournal(garbage), { commits: [], end: 'unreadable', behind: [] })
  t.match(inspectJournal(Buffer.alloc(4 * 1024 * 1024, '{"a":1}')), { commits: [], end: 'unreadable', behind: [] })
})
