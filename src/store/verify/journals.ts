/** What an organization's journals hold beyond git, and whether all of it is readable. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Inspected, inspectJournal } from '../write/inspect-journal.ts'
import { JOURNAL_PREFIX, type JournalCommit } from '../write/journal.ts'
import { count, READABLE, RESTORE, unreadable, type VerifyContext } from './finding.ts'

/**
 * Reads the journals of an organization that no server has open.
 * @returns the acknowledged commits in order, also those that git has
 */
export async function verifyJournals(check: VerifyContext): Promise<JournalCommit[]> {
  const inspected: Inspected[] = []
  const folder = join(check.gitDir, 'parlance')
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter(name => name.startsWith(JOURNAL_PREFIX)).sort()) {
    const path = `.git/parlance/${name}`
    try {
      const journal = inspectJournal(await readFile(join(folder, name)))
      inspected.push(journal)
      judge(journal, path, check)
    } catch (error) {
      check.report.error(path, unreadable(error), READABLE)
    }
  }
  return inspected.sort((a, b) => a.epoch - b.epoch).flatMap(({ commits }) => commits)
}

function judge({ at, end, behind }: Inspected, path: string, { objects, report }: VerifyContext): void {
  // What an earlier epoch left there has long been in git.
  const lost = behind.filter(({ after }) => !objects.has(after))
  if (lost.length > 0) {
    report.error(
      path,
      `The journal is damaged at byte ${at}: ${count(lost.length, 'acknowledged write')} behind the damage cannot be replayed, and the organization is not opened until the operator has decided.`,
      `Copy the file first. To go on with what stands before the damage, and without the rest: \`truncate -s ${at} ${path}\` in this organization's folder. Else: ${RESTORE}`,
    )
  } else if (end === 'unreadable') {
    report.warning(
      path,
      'The last frame of the journal is not whole: a write that was cut off before it was acknowledged, or damage.',
      'After a power cut or a kill there is nothing to do, the next start drops it. Otherwise copy the file, and compare what was written last with the backup.',
    )
  } else if (end === 'cut-off') {
    const what = 'The last frame of the journal was cut off before it was acknowledged.'
    report.note(path, what, 'Nothing: the next start drops it.')
  }
}
