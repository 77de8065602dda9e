/** What git finds in a history: the commit at a time, the ids of an abbreviation. */
import { Failure } from '../../bundle/errors.ts'
import { FairSlots } from '../../scheduling/fair-slots.ts'
import { gitVersion, requireGit, runIn } from './git.ts'

const slots = new FairSlots(2, 100)
const LONGEST_MS = 30_000
/** Among five million objects, 76 share four digits by chance. */
const MOST_ALIKE = 1000
const RETRY_SECONDS = 5

/**
 * The first commit of `from` and its first parents that is not newer than `seconds`, by its committer time; null when
 * all are later.
 * @param from a full commit id in git's own objects
 * @param seconds since 1970, at most 2^31 - 1 (the largest for older gits)
 * @throws Failure `unavailable` when too many ask at once or git fails
 */
export async function commitBefore(gitDir: string, from: string, seconds: number): Promise<string | null> {
  const search = ['rev-list', '--first-parent', '--max-count=1', `--min-age=${seconds}`, from, '--']
  return (await printedIds(gitDir, search))[0] ?? null
}

/**
 * The first commit of `from` and its first parents that changed one of the folders; null where none did.
 * @param from a full commit id in git's own objects @param folders names without characters special to git
 * @throws Failure as {@link commitBefore}
 */
export async function newestChangeInGit(
  gitDir: string,
  from: string,
  folders: readonly string[],
): Promise<string | null> {
  const search = ['rev-list', '--first-parent', '--max-count=1', from, '--', ...folders]
  return (await printedIds(gitDir, search))[0] ?? null
}

/**
 * The ids of all objects that begin with `prefix`, at least four lower-case hex digits.
 * @throws Failure `unsupported` without git, `invalid` for too many ids, and as {@link commitBefore}
 */
export async function idsStarting(gitDir: string, prefix: string): Promise<string[]> {
  await requireGit('An abbreviated revision')
  const ids = await printedIds(gitDir, ['rev-parse', `--disambiguate=${prefix}`])
  if (ids.length > MOST_ALIKE) throw new Failure('invalid', `Too many objects begin with ${prefix}.`)
  return ids
}

/**
 * Whether `commit` is `of` or one of its ancestors: full ids in git's own objects.
 * @throws Failure as {@link commitBefore}
 */
export async function isAncestorInGit(gitDir: string, commit: string, of: string): Promise<boolean> {
  const { code } = await run(gitDir, ['merge-base', '--is-ancestor', commit, of])
  if (code !== 0 && code !== 1) throw unsearched()
  return code === 0
}

/**
 * The commits in topological order: none comes before one that descends from it.
 * @param commits full ids in git's own objects
 * @param since seconds since 1970: none of them is older
 * @throws Failure `unsupported` without git, and as {@link commitBefore}
 */
export async function descendantsFirst(gitDir: string, commits: readonly string[], since: number): Promise<string[]> {
  await requireGit('The order of several revisions')
  const wanted = new Set(commits)
  const ids = await printedIds(gitDir, ['rev-list', '--topo-order', `--max-age=${since}`, ...commits, '--'])
  return ids.filter(id => wanted.has(id))
}

async function printedIds(gitDir: string, argv: string[]): Promise<string[]> {
  const { code, output } = await run(gitDir, argv)
  const lines = output.split('\n').filter(line => line !== '')
  if (code !== 0 || !lines.every(line => /^[0-9a-f]{40}$/.test(line))) throw unsearched()
  return lines
}

function run(gitDir: string, argv: string[]): Promise<{ code: number | null; output: string }> {
  const signal = AbortSignal.timeout(LONGEST_MS)
  // Each organization has a repository of its own.
  const claimant = { organization: gitDir, credential: gitDir }
  return slots.inTurn(signal, busy, () => runIn(gitDir, ['--no-replace-objects', ...argv], { signal }), { claimant })
}

const busy = (): Failure =>
  new Failure('unavailable', 'Too many past states are being looked up; try again in a moment.', {
    retryAfter: RETRY_SECONDS,
  })

const unsearched = (): Failure => new Failure('unavailable', 'git could not search the history; try again in a moment.')

/** The time of the branch's oldest commit outside `base`, in milliseconds since 1970; undefined when unknown. */
export async function oldestCommit(
  gitDir: string,
  base: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const range = base === undefined ? 'refs/heads/main' : `${base}..refs/heads/main`
  // Long output is cut at its end, and only the beginning is read.
  if ((await gitVersion()) === undefined) return undefined
  const argv = ['rev-list', '--reverse', '--timestamp', range, '--']
  const { output } = await runIn(gitDir, argv, { inBackground: true, signal })
  const seconds = Number(/^\d+/.exec(output)?.[0])
  return seconds > 0 ? seconds * 1000 : undefined
}
