/** What the journals of an organization hold that git has not, and whether all of it can be read. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectReader } from '../objects/objects.ts'
import { type Inspected, inspectJournal } from '../write/inspect-journal.ts'
import { JOURNAL_PREFIX, type JournalCommit } from '../write/journal.ts'
import { count, type Found, READABLE, RESTORE, unreadable } from './finding.ts'

/**
 * Reads the journals of an organization that no server has open.
 * @returns the acknowledged commits in the order in which they were made, those that git has too included
 */
export async function verifyJournals(gitDir: string, reader: ObjectReader, found: Found): Promise<JournalCommit[]> {
  const inspected: Inspected[] = []
  const folder = join(gitDir, 'parlance')
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter(name => name.startsWith(JOURNAL_PREFIX)).sort()) {
    const path = `.git/parlance/${name}`
    try {
      const journal = inspectJournal(await readFile(join(folder, name)))
      inspected.push(journal)
      report(journal, path, reader, found)
    } catch (error) {
      found({ severity: 'error', path, what: unreadable(error), todo: READABLE })
    }
  }
  return inspected.sort((a, b) => a.epoch - b.epoch).flatMap(({ commits }) => commits)
}

function report({ at, end, behind }: Inspected, path: string, reader: ObjectReader, found: Found): void {
  // What an earlier epoch left there has long been in git.
  const lost = behind.filter(({ after }) => !reader.has(after))
  if (lost.length > 0) {
    found({
      severity: 'error',
      path,
      what: `The journal is damaged at byte ${at}: ${count(lost.length, 'acknowledged write')} behind the damage cannot be made again, and the organization is not opened until somebody has decided.`,
      todo: `Keep a copy of the file. To go on with what stands before the damage, and without the rest: \`truncate -s ${at} ${path}\` in this organization's folder. Else: ${RESTORE}`,
    })
  } else if (end === 'unreadable') {
    found({
      severity: 'warning',
      path,
      what: 'The last frame of the journal is not whole: a write that was cut off before it was acknowledged, or damage.',
      todo: 'After a power cut or a kill there is nothing to do, the next start drops it. Otherwise keep a copy of the file, and compare what was written last with the backup.',
    })
  } else if (end === 'cut-off') {
    found({
      severity: 'note',
      path,
      what: 'The last frame of the journal was cut off before it was acknowledged.',
      todo: 'Nothing: the next start drops it.',
    })
  }
}
