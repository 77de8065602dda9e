/** What a server or a git that was killed left lying about in a repository. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../disk.ts'
import { isOwnKeep, isUnfinishedPack } from '../objects/publish-pack.ts'
import { UNREAD_JOURNAL } from '../write/journal.ts'
import type { Finding, Found } from './finding.ts'

/** Anything younger may belong to a program that is at work. */
const FRESH_MS = 10 * 60_000

const STARTED = 'Nothing: the next start of the server removes it.'
const REMOVED_LATER = 'Nothing: a start of the server removes it when it is an hour old.'
/** The branch's own lock is held by a running server all the time. */
const BRANCH_LOCK = 'refs/heads/main.lock'

/** @param running then what the server itself may hold just now is passed over */
export async function verifyLeftovers(workTree: string, running: boolean, found: Found): Promise<void> {
  const gitDir = join(workTree, '.git')
  const note = (path: string, what: string) => found({ severity: 'note', path, what, todo: STARTED })
  const isOld = async (path: string) => Date.now() - (await changedAt(join(gitDir, path))) > FRESH_MS

  for (const path of await locks(gitDir)) {
    const shown = `.git/${path}`
    if (path === BRANCH_LOCK) {
      if (!running) note(shown, 'The lock of a server that was killed.')
    } else if (await isOld(path)) {
      found({
        severity: 'warning',
        path: shown,
        what: 'The lock of a git that has ended: it keeps every other one from changing what it locks.',
        todo: 'Make sure that no git runs in this repository, and remove the file.',
      })
    }
  }
  const packs = await namesIn(join(gitDir, 'objects/pack'))
  const names = new Set(packs)
  for (const name of packs) {
    const path = `objects/pack/${name}`
    if (running && !(await isOld(path))) continue
    if (!running && (await isOwnKeep(join(gitDir, 'objects/pack'), name)))
      note(`.git/${path}`, 'It keeps the pack of a server that was killed from being thrown away.')
    const fault = packFault(name, names)
    if (fault) found({ path: `.git/${path}`, ...fault })
  }
  if (running) return
  for (const name of await namesIn(join(gitDir, 'parlance'))) {
    if (name.startsWith('repack-')) note(`.git/parlance/${name}`, 'Unfinished upkeep of a server that was killed.')
    if (name === UNREAD_JOURNAL) {
      found({
        severity: 'warning',
        path: `.git/parlance/${name}`,
        what: 'A start dropped the last frame of this journal, since it was not whole: a write that was cut off before it was acknowledged, or damage.',
        todo: 'After a power cut or a kill, remove the file. Otherwise the disk may fail: look at the log of the system, and compare what was written last before that start with the backup.',
      })
    }
    if (name.endsWith('.tmp')) note(`.git/parlance/${name}`, 'An unfinished write of a server that was killed.')
  }
  if ((await namesIn(join(gitDir, 'parlance/tmp'))).length > 0) {
    note('.git/parlance/tmp', 'Unfinished files of a server that was killed.')
  }
  if ((await namesIn(workTree)).includes('.git-new')) note('.git-new', 'A repository that was never finished.')
}

function packFault(name: string, names: Set<string>): Omit<Finding, 'path'> | undefined {
  if (isUnfinishedPack(name)) return { severity: 'note', what: 'A pack that was never finished.', todo: STARTED }
  if (/^\.?tmp_/.test(name)) {
    return { severity: 'note', what: 'An unfinished file of a git that was killed.', todo: REMOVED_LATER }
  }
  if (/\.(idx|rev|bitmap)$/.test(name) && !names.has(name.replace(/\.[a-z]+$/, '.pack'))) {
    return { severity: 'note', what: 'It belongs to a pack that is not there.', todo: STARTED }
  }
  if (name.endsWith('.pack') && !names.has(name.replace(/pack$/, 'idx'))) {
    return {
      severity: 'warning',
      what: 'No index belongs to this pack, so nobody reads it.',
      todo: `If other findings tell of missing objects, run \`git index-pack ${name}\` in that folder before the next start, which removes such packs; else it is left over, and there is nothing to do.`,
    }
  }
  return undefined
}

/** Every `*.lock` that git takes, relative to the git directory. */
async function locks(gitDir: string): Promise<string[]> {
  const found = (await namesIn(gitDir)).filter(name => name.endsWith('.lock'))
  for (const folder of ['objects/info', 'objects/info/commit-graphs', 'objects/pack']) {
    for (const name of await namesIn(join(gitDir, folder))) if (name.endsWith('.lock')) found.push(`${folder}/${name}`)
  }
  const refs = await readdir(join(gitDir, 'refs'), { withFileTypes: true, recursive: true }).catch(() => [])
  for (const entry of refs) {
    if (entry.isFile() && entry.name.endsWith('.lock')) {
      found.push(
        join(entry.parentPath, entry.name)
          .slice(gitDir.length + 1)
          .replaceAll('\\', '/'),
      )
    }
  }
  return found
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
    throw error
  }
}

async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
