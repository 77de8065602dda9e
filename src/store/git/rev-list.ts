/** `git rev-list`: which commit a branch was at, for histories too long to walk here. */
import { Failure } from '../../bundle/errors.ts'
import { gitVersion, makeHome, QUIET, runGit } from './git.ts'
import { Turns } from './turns.ts'

const turns = new Turns(2, 100)
const LONGEST_MS = 30_000
const RETRY_SECONDS = 5

/**
 * The first commit of `from` and its first parents whose committer time is at most `seconds`, null when all are later.
 * @param from a full commit id that is in git's own objects
 * @param seconds since 1970, at most 2^31 - 1 (which older versions of git take for the largest)
 * @throws Failure `unavailable` when too many ask at once or git fails
 */
export async function commitBefore(gitDir: string, from: string, seconds: number): Promise<string | null> {
  const signal = AbortSignal.timeout(LONGEST_MS)
  const done = await turns.take(signal)
  if (done === undefined) {
    throw new Failure('unavailable', 'Too many past times are being looked up; try again in a moment.', {
      retryAfter: RETRY_SECONDS,
    })
  }
  try {
    const home = await makeHome(gitDir)
    const search = ['rev-list', '--first-parent', '--max-count=1', `--min-age=${seconds}`, from]
    const { code, output } = await runGit([...QUIET, '--no-replace-objects', `--git-dir=${gitDir}`, ...search, '--'], {
      cwd: gitDir,
      home,
      signal,
    })
    const [line = ''] = output.split('\n')
    if (code !== 0 || !/^(?:[0-9a-f]{40})?$/.test(line)) throw failed()
    return line || null
  } finally {
    done()
  }
}

function failed(): Failure {
  return new Failure('unavailable', 'git could not search the history; try again in a moment.')
}

/**
 * When the oldest commit of the branch was made that is not in `base`, in milliseconds since 1970.
 * @returns undefined when there is none, and when it cannot be told
 */
export async function oldestCommit(
  gitDir: string,
  base: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const range = base === undefined ? 'refs/heads/main' : `${base}..refs/heads/main`
  // Of much output the beginning is kept, which is all that is read.
  if ((await gitVersion()) === undefined) return undefined
  const { output } = await runGit(
    [...QUIET, `--git-dir=${gitDir}`, 'rev-list', '--reverse', '--timestamp', range, '--'],
    { cwd: gitDir, home: await makeHome(gitDir), inBackground: true, signal },
  )
  const seconds = Number(/^\d+/.exec(output)?.[0])
  return seconds > 0 ? seconds * 1000 : undefined
}
