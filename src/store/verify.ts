/** Checks everything the disk holds of one organization, and changes nothing. */
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from './disk.ts'
import { withObjects } from './read-only.ts'
import { BRANCH, readBranch } from './refs/read-refs.ts'
import { readHead, type Snapshot, StateSnapshot } from './snapshot.ts'
import { type BranchState, verifyBranch, verifyRefs } from './verify/branch.ts'
import { verifyContent } from './verify/content.ts'
import {
  type FindingListener,
  FindingReport,
  READABLE,
  RESTORE,
  unreadable,
  type VerifyContext,
} from './verify/finding.ts'
import { verifyJournals } from './verify/journals.ts'
import { verifyLeftovers } from './verify/leftovers.ts'
import { verifyChecksums, verifyObjects } from './verify/objects.ts'
import { verifyWorkTree } from './verify/work-tree.ts'
import { LastWritten } from './work-tree/last-written.ts'
import { MarkerFile } from './work-tree/scan.ts'
import type { JournalCommit } from './write/journal.ts'
import { knownVersions } from './write/recover.ts'

export type { Finding } from './verify/finding.ts'

/** Journals that a running server changes are not read: the last second's writes go unchecked. */
type VerifyOptions = Pick<VerifyContext, 'workTree' | 'running' | 'signal' | 'progress'>

const COPY_BACK =
  'Stop the server and put the folder backup back from the backup: `parlance server restore --data-dir <an empty folder>` brings it.'
const NO_HEAD = 'Write `ref: refs/heads/main` and a line break into it.'

/** Calls `found` for everything that is wrong. */
export async function verifyRepository(options: VerifyOptions, found: FindingListener): Promise<void> {
  const report = new FindingReport(found)
  if (await hasLayout(options.workTree, report)) {
    await checked({ ...options, gitDir: join(options.workTree, '.git'), report }, verifyAll)
  }
  report.close()
}

/** Checks the accounts' backup repository, if any. @param options.folder `backup` in the data folder */
export async function verifyAccountsCopy(
  { folder, ...options }: Omit<VerifyOptions, 'workTree'> & { folder: string },
  found: FindingListener,
): Promise<void> {
  const gitDir = join(folder, 'accounts.git')
  const report = new FindingReport(({ path, ...finding }) =>
    found({ ...finding, path: path.replace(/^\.git/, 'backup/accounts.git'), todo: COPY_BACK }),
  )
  const part = partsOf({ signal: options.signal, report })
  await part('.git', async () => {
    if ((await lstat(gitDir).catch(() => undefined)) === undefined) return
    const main = await readBranch(gitDir)
    if (main === null) return
    await checked({ ...options, workTree: folder, gitDir, report }, async check => {
      await verifyChecksums(check)
      await verifyObjects(check, [main])
    })
  })
}

const checked = (check: Omit<VerifyContext, 'objects'>, run: (check: VerifyContext) => Promise<void>): Promise<void> =>
  withObjects(check.gitDir, objects => run({ ...check, objects }))

/** Runs parts of the check: one that fails does not stop the others. */
const partsOf =
  ({ signal, report }: Pick<VerifyContext, 'signal' | 'report'>) =>
  async (path: string, run: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted()
    await run().catch(error => {
      if (signal.aborted) throw error
      report.error(path, unreadable(error), codeOf(error) ? READABLE : RESTORE)
    })
  }

async function verifyAll(check: VerifyContext): Promise<void> {
  const { gitDir, objects, running, progress } = check
  const part = partsOf(check)
  let branch: BranchState = { commit: undefined, moved: false }
  let acknowledged: JournalCommit[] = []
  let heads: string[] = []
  await part('.git', () => verifyLeftovers(check))
  await part('.git/parlance', async () => {
    if (!running) acknowledged = await verifyJournals(check)
  })
  await part(`.git/${BRANCH}`, async () => {
    branch = await verifyBranch(check, acknowledged)
  })
  await part('.git/refs', async () => {
    heads = await verifyRefs(check)
  })
  progress('checksums of packs')
  await part('.git/objects', () => verifyChecksums(check))
  progress('objects')
  const { commit, known, moved } = branch
  const head = commit ?? known
  await part('.git/objects', () => verifyObjects(check, head ? [head, ...heads] : heads))
  if (commit === undefined) return

  const state = (id: string | null) => new StateSnapshot(objects, readHead(objects, id))
  await part(`.git/${BRANCH}`, () => verifyContent(check, state(commit), moved))
  progress('work tree')
  await part('', async () => {
    const isBehind = running
      ? (id: string | null) => id !== null && objects.has(id)
      : await ownVersions(gitDir, acknowledged, state(commit))
    const snapshot = async () => state(running ? await readBranch(gitDir) : commit)
    await verifyWorkTree(check, snapshot, isBehind)
  })
}

/** Distinguishes a version that a killed server left from a person's edit, as a start does. */
async function ownVersions(gitDir: string, acknowledged: JournalCommit[], branch: Snapshot) {
  const written = new LastWritten(branch)
  const shownOnce = (await new MarkerFile(join(gitDir, 'parlance', 'scanned')).read()) !== undefined
  written.recover(knownVersions(acknowledged, branch), shownOnce)
  return (id: string | null, path: string) => written.isRecovered(path, id)
}

async function hasLayout(workTree: string, report: FindingReport): Promise<boolean> {
  const stats = await lstat(join(workTree, '.git')).catch(error => error as Error)
  if (stats instanceof Error || !stats.isDirectory()) {
    const isThere = stats instanceof Error && codeOf(stats) !== 'ENOENT'
    report.error('.git', isThere ? unreadable(stats) : 'There is no repository in this folder.', RESTORE)
    return false
  }
  try {
    const head = (await readFile(join(workTree, '.git', 'HEAD'), 'utf8')).trim()
    if (head === `ref: ${BRANCH}`) return true
    const what = `HEAD is ${JSON.stringify(head.slice(0, 60))}; the server writes main all the same.`
    report.warning('.git/HEAD', what, NO_HEAD)
  } catch (error) {
    report.error('.git/HEAD', unreadable(error), codeOf(error) === 'ENOENT' ? NO_HEAD : READABLE)
  }
  return true
}
