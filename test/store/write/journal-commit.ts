/** Commits as tests of journals need them. */
import type { JournalCommit } from '../../../src/store/write/journal.ts'

/** The `number`-th commit of a branch, from 0: its id is that number, and it follows the one before it. */
export const journalCommit = (number: number, changes: JournalCommit['changes']): JournalCommit => ({
  before: number === 0 ? null : String(number - 1).padStart(40, '0'),
  after: String(number).padStart(40, '0'),
  author: 'Ann <ann@example.com>',
  time: 1_700_000_000 + number,
  message: `update ${number}\n`,
  changes,
})

/** A bundle that was not there before. @param data its content, which need not hash to the id it is given */
export const newFile = (data: Buffer): JournalCommit['changes'][number] => ({
  path: 'web/locales/de/common.json',
  before: null,
  after: 'b'.repeat(40),
  base: null,
  data,
})
