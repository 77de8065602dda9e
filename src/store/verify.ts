/** Checks everything that the disk holds of one organization, and changes nothing. */
import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf } from './disk.ts'
import { gitVersion, makeHome } from './git/git.ts'
import { ObjectReader } from './objects/objects.ts'
import { readBranch } from './refs/read-refs.ts'
import { ObjectCache, Objects, readHead, StateSnapshot } from './snapshot.ts'
import { type Branch, verifyBranch, verifyRefs } from './verify/branch.ts'
import { verifyChecksums } from './verify/checksums.ts'
import { verifyContent } from './verify/content.ts'
import { type Finding, type Found, READABLE, RESTORE, SEVERITIES, type Severity, unreadable } from './verify/finding.ts'
import { verifyJournals } from './verify/journals.ts'
import { verifyLeftovers } from './verify/leftovers.ts'
import { fsck, readAllObjects } from './verify/objects.ts'
import { verifyWorkTree } from './verify/work-tree.ts'
import { MarkerFile } from './view/scan.ts'
import type { JournalCommit } from './write/journal.ts'

export type { Finding, Severity } from './verify/finding.ts'

/** What is checked, and who hears of it. */
export interface VerifyOptions {
  /** The organization's folder. */
  workTree: string
  /**
   * Whether a server has it open. Then its journals are not looked at, for they change all the time: what was written in
   * the last second is not checked.
   */
  running: boolean
  signal: AbortSignal
  /** Hears now and then how far it is. */
  tell(step: string): void
}

const CACHE_BYTES = 16 * 1024 * 1024
/** Findings of one organization that are told one by one. */
const MOST_FINDINGS = 200
const COPY_BACK =
  'Stop the server and put the folder backup back from the backup: `parlance restore --data-dir <an empty folder>` brings it.'
const NO_HEAD = 'Write `ref: refs/heads/main` and a line break into it.'

/** Calls `found` for everything that is not as it should be. */
export async function verifyRepository(options: VerifyOptions, found: Found): Promise<void> {
  const limited = new Limited(found)
  const take = (finding: Finding) => limited.take(finding)
  const gitDir = join(options.workTree, '.git')
  if (await hasLayout(options.workTree, take)) {
    const reader = new ObjectReader(gitDir)
    try {
      await verifyAll(gitDir, reader, options, take)
    } finally {
      reader.close()
    }
  }
  limited.close()
}

/**
 * Checks the repository in which the accounts are kept for the backup; one that is not there is fine.
 * @param options.folder `backup` in the data folder
 */
export async function verifyAccountsCopy(
  { folder, running, signal, tell }: Omit<VerifyOptions, 'workTree'> & { folder: string },
  found: Found,
): Promise<void> {
  const gitDir = join(folder, 'accounts.git')
  const take = ({ path, ...finding }: Finding) =>
    found({ ...finding, path: path.replace(/^\.git/, 'backup/accounts.git'), todo: COPY_BACK })
  try {
    if ((await lstat(gitDir).catch(() => undefined)) === undefined) return
    const main = await readBranch(gitDir)
    if (main === null) return
    await verifyChecksums(gitDir, { running, signal }, take)
    const reader = new ObjectReader(gitDir)
    try {
      await verifyObjects(gitDir, reader, { heads: [main], running, signal, tell }, take)
    } finally {
      reader.close()
    }
  } catch (error) {
    if (signal.aborted) throw error
    take({ severity: 'error', path: '.git', what: unreadable(error), todo: '' })
  }
}

async function verifyAll(gitDir: string, reader: ObjectReader, options: VerifyOptions, found: Found): Promise<void> {
  const { workTree, running, signal, tell } = options
  /** One part that cannot be done does not keep the others from being done. */
  const part = async (path: string, check: () => Promise<void>) => {
    try {
      signal.throwIfAborted()
      await check()
    } catch (error) {
      if (signal.aborted) throw error
      found({ severity: 'error', path, what: unreadable(error), todo: codeOf(error) ? READABLE : RESTORE })
    }
  }
  let branch: Branch = { commit: undefined, moved: false }
  let acknowledged: JournalCommit[] = []
  let heads: string[] = []
  await part('.git', () => verifyLeftovers(workTree, running, found))
  await part('.git/parlance', async () => {
    if (!running) acknowledged = await verifyJournals(gitDir, reader, found)
  })
  await part('.git/refs/heads/main', async () => {
    branch = await verifyBranch({ gitDir, reader, acknowledged, running, signal }, found)
  })
  await part('.git/refs', async () => {
    heads = await verifyRefs(gitDir, reader, found)
  })
  tell('checksums of packs')
  await part('.git/objects', () => verifyChecksums(gitDir, { running, signal }, found))
  const { commit, known, moved } = branch
  tell('objects')
  const head = commit ?? known
  await part('.git/objects', () =>
    verifyObjects(gitDir, reader, { ...options, heads: head ? [head, ...heads] : heads }, found),
  )
  if (commit === undefined) return

  const objects = new Objects(reader, new ObjectCache(CACHE_BYTES))
  const state = (id: string | null) => new StateSnapshot(objects, readHead(objects, id))
  await part('.git/refs/heads/main', () => verifyContent(state(commit), { moved, signal, tell }, found))
  tell('work tree')
  await part('', async () => {
    const isBehind = running
      ? (id: string | null) => id !== null && reader.has(id)
      : await ownVersions(gitDir, acknowledged)
    const snapshot = async () => state(running ? await readBranch(gitDir) : commit)
    await verifyWorkTree({ workTree, running, signal, snapshot, isBehind }, found)
  })
}

/** Tells a file that a killed server left a version behind from one that a person changed, as a start does. */
async function ownVersions(gitDir: string, acknowledged: JournalCommit[]) {
  const versions = new Map<string, Set<string | null>>()
  for (const { path, before, after } of acknowledged.flatMap(({ changes }) => changes)) {
    versions.set(path, (versions.get(path) ?? new Set()).add(before).add(after))
  }
  const shownOnce = (await new MarkerFile(join(gitDir, 'parlance', 'scanned')).read()) !== undefined
  return (id: string | null, path: string) =>
    id === null ? !shownOnce || versions.has(path) : versions.get(path)?.has(id) === true
}

async function verifyObjects(
  gitDir: string,
  reader: ObjectReader,
  options: Omit<VerifyOptions, 'workTree'> & { heads: string[] },
  found: Found,
): Promise<void> {
  if ((await gitVersion()) === undefined) return readAllObjects(gitDir, reader, options, found)
  // Of its own, since nothing is to be written into the data folder.
  const scratch = await mkdtemp(join(tmpdir(), 'parlance-verify-'))
  try {
    await fsck(gitDir, await makeHome(scratch), options, found)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Whether it is a repository at all, so that the rest can be looked at. */
async function hasLayout(workTree: string, found: Found): Promise<boolean> {
  const kind = await lstat(join(workTree, '.git')).catch(error => error as Error)
  if (kind instanceof Error || !kind.isDirectory()) {
    const what =
      kind instanceof Error && codeOf(kind) !== 'ENOENT' ? unreadable(kind) : 'There is no repository in this folder.'
    found({ severity: 'error', path: '.git', what, todo: RESTORE })
    return false
  }
  try {
    const head = (await readFile(join(workTree, '.git', 'HEAD'), 'utf8')).trim()
    if (head === 'ref: refs/heads/main') return true
    const what = `HEAD is ${JSON.stringify(head.slice(0, 60))}; the server writes main, whatever it says.`
    found({ severity: 'warning', path: '.git/HEAD', what, todo: NO_HEAD })
  } catch (error) {
    found({
      severity: 'error',
      path: '.git/HEAD',
      what: unreadable(error),
      todo: codeOf(error) === 'ENOENT' ? NO_HEAD : READABLE,
    })
  }
  return true
}

/** Lets the first findings through and counts the others: one damaged tree may make ten thousand of them. */
class Limited {
  readonly #found: Found
  #told = 0
  readonly #left: Severity[] = []

  constructor(found: Found) {
    this.#found = found
  }

  take(finding: Finding): void {
    if (this.#told++ < MOST_FINDINGS) this.#found(finding)
    else this.#left.push(finding.severity)
  }

  close(): void {
    if (this.#left.length === 0) return
    const what = `${this.#left.length} findings more are not shown.`
    const severity = SEVERITIES.find(one => this.#left.includes(one))!
    this.#found({ severity, path: '', what, todo: 'Deal with the ones above, and run verify again.' })
  }
}
