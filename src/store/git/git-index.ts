/** Git's index of one repository, changed by the system's git alone. */
import { Failure } from '../../bundle/errors.ts'
import { makeHome, QUIET, runGit } from './git.ts'

/** What became of a change of the index: `locked` when someone's own git holds it just now. */
export type IndexResult = 'done' | 'locked'

/** An index of 100,000 files takes a few seconds. */
const LONGEST_MS = 60_000

/**
 * Makes the index equal to HEAD, whatever it was, and notes the files' times in it, so that git need not read them to know that
 * they are unchanged; of files that have not changed it keeps what it knows. The work tree is not touched.
 * @param signal ends the git that is at it
 * @throws Failure `unsupported` when git refuses for another reason than a lock
 */
export async function resetIndex(gitDir: string, workTree: string, signal: AbortSignal): Promise<IndexResult> {
  const home = await makeHome(gitDir)
  for (const command of [
    ['read-tree', '--reset', 'HEAD'],
    ['update-index', '-q', '--refresh'],
  ]) {
    const late = AbortSignal.timeout(LONGEST_MS)
    const { code, errors } = await runGit([...QUIET, `--git-dir=${gitDir}`, `--work-tree=${workTree}`, ...command], {
      cwd: workTree,
      home,
      gently: true,
      signal: AbortSignal.any([signal, late]),
    })
    if (late.aborted) throw new Failure('unavailable', `git ${command[0]} does not come to an end.`)
    signal.throwIfAborted()
    const refreshes = command.includes('--refresh')
    // It ends with 1 when a file differs from its entry, which is nobody's fault here; of a lock a quiet one says nothing.
    if (code === 0 || (code === 1 && refreshes)) continue
    if (errors.includes('index.lock') || (code === 128 && errors === '' && refreshes)) return 'locked'
    throw new Failure('unsupported', `git ${command[0]} failed: ${errors.trim().slice(0, 300)}`)
  }
  return 'done'
}
