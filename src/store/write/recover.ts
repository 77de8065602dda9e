/** Opening after anything: clears a dead server's remains, reads the branch, replays the journals. */
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ifThere, removeFile, renameFile } from '../disk.ts'
import { FETCHED } from '../git/git-bundle.ts'
import type { Logger } from '../log.ts'
import { PackBuilder } from '../objects/pack-builder.ts'
import { isUnfinishedPack, publishPack, removeOwnKeeps } from '../objects/publish-pack.ts'
import { readBranch } from '../refs/read-refs.ts'
import { type Head, type Objects, readHead, type Snapshot, StateSnapshot } from '../snapshot.ts'
import { isAncestor, lastAncestor } from './ancestors.ts'
import { type Inspected, inspectJournals } from './inspect-journal.ts'
import { JOURNAL_PREFIX, type JournalCommit, UNREAD_JOURNAL } from './journal.ts'
import { BRANCH_RESTORED, findBranch } from './missing-branch.ts'
import { replay } from './replay.ts'
import { writeBranch } from './seal.ts'

export interface Recovered {
  head: Head
  /** Higher than the epoch of any journal found. */
  epoch: number
  /** Paths of the journals read; to be removed once the work tree has been compared. */
  journals: string[]
  /** A journal that ends in a broken frame: cut off before it was acknowledged, or damaged. */
  unread: string | undefined
  /** Every blob id the server gave each path in the journals: such a work-tree file is merely behind. */
  known: Map<string, Set<string>>
  /**
   * Set when someone else moved the branch: from the commit last sealed here (null when unknown, as for a repository
   * brought here) to the head, which holds the journals' writes too.
   */
  moved: { from: string | null; to: string } | undefined
  isBranchRestored: boolean
  /** Whether git has got what other nodes wrote. */
  isNews?: boolean
}

// A younger pack without an index may belong to a running `git repack`.
const ORPHAN_AGE_MS = 3_600_000
const OF_A_PACK = new Set<string | undefined>(['.idx', '.rev', '.bitmap', '.keep'])
const TEMPORARY_OF_GIT = /^(?:tmp_(?:pack|idx|rev|bitmap)_|\.tmp-\d+-pack-)/
const COMMIT_ID = /^[0-9a-f]{40}$/

/**
 * Brings a repository to the last acknowledged write. The journals stay until the work tree has been compared: they
 * identify old versions of ours among its files.
 * @param options.until the last acknowledged commit, when this process reopens after a failed batch: the journal's
 * later writes were refused and must not come back
 * @param options.isShared whether a shared log holds the acknowledged writes, in place of journals
 * @param options.change runs what changes the disk; if it swallows an error, unsealed objects stay in `objects`
 * @throws Error for missing objects, a journal damaged before its end, or a replay that gives another commit
 */
export async function recover(
  gitDir: string,
  objects: Objects,
  options: {
    log: Logger
    until?: string | null
    change?: (change: () => Promise<void>) => Promise<void>
    isShared?: boolean
  },
): Promise<Recovered> {
  const { change = run => run() } = options
  await change(() => removeLeftovers(gitDir))
  const { epoch, records, journals, unread } = await readJournals(gitDir, objects, options.until)
  const note = await readHeadNote(gitDir)
  const branch = await readBranch(gitDir)
  const found = branch ?? (await findBranch(gitDir, objects, records, note, options.isShared ?? false))
  const isBranchRestored = found !== branch
  if (isBranchRestored) {
    await change(() => writeBranch(gitDir, found!))
    options.log.warn({ commit: found }, BRANCH_RESTORED)
  }
  const before = readHead(objects, found)
  let head = before
  const missing = await recordsAfter(records, head, objects)
  // Only a damaged journal or branch can have lost it.
  const { until } = options
  if (until && !missing.length && until !== head.commit && !(await isAncestor(until, head.commit, objects))) {
    throw new Error(`neither the journal nor the branch holds ${until}, which was acknowledged`)
  }
  if (missing.length) {
    const exact = missing[0]!.before === head.commit
    if (!exact)
      options.log.warn(
        { found, writes: missing.length },
        'the branch was moved; acknowledged writes are committed again on top',
      )
    const pack = new PackBuilder()
    objects.unsealed.unshift(pack)
    head = await replay(objects, pack, head, missing, { exact })
    await change(async () => {
      if (head.commit !== before.commit) {
        await publishPack(gitDir, pack, () => writeBranch(gitDir, head.commit!))
      }
      objects.sealed(pack)
    })
    options.log.info({ writes: missing.length, head: head.commit }, 'replayed the journal')
  }
  // Not earlier: the packs may hold what a killed server sealed before moving the branch.
  await change(() => removeOwnKeeps(gitDir))
  const last = readableCommit(objects, note)
  const ours = found === null || last === found || records.some(record => record.after === found)
  return {
    head,
    epoch,
    journals,
    unread,
    known: knownVersions(records, new StateSnapshot(objects, before)),
    moved: ours ? undefined : { from: last, to: head.commit! },
    isBranchRestored,
  }
}

/** Stores a journal with a broken last frame for a person: that may be a damaged acknowledged write. */
export async function keepUnread(gitDir: string, journal: string, log: Logger): Promise<void> {
  const kept = join(gitDir, 'parlance', UNREAD_JOURNAL)
  await renameFile(journal, kept)
  log.warn(
    { kept },
    'the last frame of the journal was not whole, as after a power cut, and was dropped; the file stays',
  )
}

async function removeLeftovers(gitDir: string): Promise<void> {
  for (const name of await readdir(join(gitDir, 'parlance'))) {
    // Earlier versions wrote packs into folders of their own, and the scan's marker by this name.
    if (name.startsWith('repack-') || name === FETCHED || name === 'scanned.new')
      await rm(join(gitDir, 'parlance', name), { recursive: true, force: true })
  }
  const folder = join(gitDir, 'objects', 'pack')
  const names = new Set(await readdir(folder))
  for (const name of names) {
    const path = join(folder, name)
    const [stem, extension] = name.split(/(?=\.[a-z]+$)/)
    if (isUnfinishedPack(name)) await removeFile(path)
    else if (TEMPORARY_OF_GIT.test(name)) await removeOld(path)
    else if (OF_A_PACK.has(extension) && !names.has(`${stem}.pack`)) await removeFile(path)
    else if (extension === '.pack' && !names.has(`${stem}.idx`)) await removeOld(path)
  }
}

async function removeOld(path: string): Promise<void> {
  // A git that outlived the last server may rename it meanwhile.
  const found = await ifThere(stat(path))
  if (found && found.mtimeMs < Date.now() - ORPHAN_AGE_MS) await removeFile(path)
}

async function readHeadNote(gitDir: string): Promise<string | undefined> {
  const note = (await ifThere(readFile(join(gitDir, 'parlance', 'head'), 'utf8')))?.trim()
  return note !== undefined && COMMIT_ID.test(note) ? note : undefined
}

function readableCommit(objects: Objects, id: string | undefined): string | null {
  try {
    return id === undefined ? null : readHead(objects, id).commit
  } catch {
    // A person may have rewritten the history and thrown the old one away.
    return null
  }
}

async function readJournals(gitDir: string, objects: Objects, until: string | null | undefined) {
  const read = await inspectJournals(gitDir)
  // In the same process, all after the last acknowledged commit was refused, however it looks.
  if (until === undefined) for (const journal of read) refuseDamaged(journal, objects)
  let records = read.flatMap(journal => journal.commits)
  if (until !== undefined) records = records.slice(0, records.findIndex(record => record.after === until) + 1)
  // A file's name holds its first epoch. An empty journal does not.
  const numbers = read.map(({ path }) => Number(basename(path).slice(JOURNAL_PREFIX.length)) || 0)
  const unread = until === undefined ? read.find(({ end }) => end === 'unreadable')?.path : undefined
  const epoch = Math.max(0, ...numbers, ...read.map(journal => journal.epoch))
  return { epoch, records, journals: read.map(({ path }) => path), unread }
}

/**
 * Refuses a journal with whole writes behind a broken frame: that one was acknowledged and damaged later, and going on
 * would pass an old state for the newest.
 */
function refuseDamaged({ path, at, behind }: Inspected & { path: string }, objects: Objects): void {
  // What an earlier epoch left there has long been in git.
  const lost = behind.filter(({ after }) => objects.find(after) === undefined)
  if (lost.length === 0) return
  throw new Error(
    `${path} is damaged at byte ${at}, and ${lost.length} acknowledged writes behind that cannot be replayed: parlance server verify says what to do`,
  )
}

/** The records not yet in the branch. Most join its head; else the branch's history decides. */
async function recordsAfter(records: JournalCommit[], head: Head, objects: Objects): Promise<JournalCommit[]> {
  const sealed = records.findIndex(record => record.after === head.commit)
  if (sealed >= 0) return records.slice(sealed + 1)
  const joins = records.findIndex(record => record.before === head.commit)
  if (joins >= 0) return records.slice(joins)
  const positions = new Map(records.map((record, index) => [record.after, index]))
  return records.slice((await lastAncestor(positions, head.commit, objects)) + 1)
}

/** Includes the branch before the replay: a person's commit below acknowledged writes is history, not an edit. */
export function knownVersions(records: JournalCommit[], branch: Snapshot): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>()
  for (const { path, before, after } of records.flatMap(record => record.changes)) {
    addVersions(known, path, [before, after, branch.entry(path)?.id])
  }
  return known
}

/** Notes versions of ours that a work tree's file may have; null and undefined for no file. */
export function addVersions(known: Recovered['known'], path: string, ids: (string | null | undefined)[]): void {
  let versions = known.get(path)
  if (versions === undefined) known.set(path, (versions = new Set()))
  for (const id of ids) if (id) versions.add(id)
}
