/** What a killed server or git left in a repository for good. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BRANCH } from '../refs/read-refs.ts'
import { UNREAD_JOURNAL } from '../write/journal.ts'
import type { VerifyContext } from './finding.ts'

/** Younger files may belong to a running program. */
const FRESH_MS = 10 * 60_000
/** A running server always holds the branch's own lock. */
const BRANCH_LOCK = `${BRANCH}.lock`

/** Looks at locks, packs without an index, and what a start could not read of a journal. */
export async function verifyLeftovers({ gitDir, running, report }: VerifyContext): Promise<void> {
  const changedAt = async (path: string) => (await stat(join(gitDir, path)).catch(() => undefined))?.mtimeMs
  const isOld = async (path: string) => Date.now() - ((await changedAt(path)) ?? Date.now()) > FRESH_MS
  for (const path of await namesBelow(gitDir)) {
    const shown = `.git/${path}`
    if (path === BRANCH_LOCK) {
      if (!running) report.note(shown, 'The lock of a server that was killed.', 'Nothing: the next start removes it.')
    } else if (path.endsWith('.lock') && (await isOld(path))) {
      report.warning(
        shown,
        'The lock of a git that has ended: it stops every other one from changing what it locks.',
        'Check that no git runs in this repository, and remove the file.',
      )
    }
  }
  const packs = await readdir(join(gitDir, 'objects/pack'))
  for (const name of packs.filter(name => /^pack-.*\.pack$/.test(name))) {
    if (packs.includes(name.replace(/pack$/, 'idx')) || (running && !(await isOld(`objects/pack/${name}`)))) continue
    report.warning(
      `.git/objects/pack/${name}`,
      'No index belongs to this pack, so git does not read it.',
      `If other findings report missing objects, run \`git index-pack ${name}\` in that folder before the next start, which removes such packs; else it is left over, and there is nothing to do.`,
    )
  }
  if (running || (await changedAt(`parlance/${UNREAD_JOURNAL}`)) === undefined) return
  report.warning(
    `.git/parlance/${UNREAD_JOURNAL}`,
    'A start dropped the last frame of this journal, since it was not whole: a write that was cut off before it was acknowledged, or damage.',
    'After a power cut or a kill, remove the file. Otherwise the disk may fail: look at the log of the system, and compare what was written last before that start with the backup.',
  )
}

/** All files but those of objects: git has many of these and locks none. */
async function namesBelow(gitDir: string): Promise<string[]> {
  const names = await readdir(gitDir)
  for (const folder of ['refs', 'objects/info', 'objects/pack']) {
    const inside = await readdir(join(gitDir, folder), { recursive: true }).catch(() => [])
    names.push(...inside.map(name => `${folder}/${name}`.replaceAll('\\', '/')))
  }
  return names
}
