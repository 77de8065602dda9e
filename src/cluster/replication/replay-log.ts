/** Opening in a cluster: git catches up with the shared log before anything is served. */
import { Failure } from '../../bundle/errors.ts'
import { changedFiles } from '../../project/changed-files.ts'
import { PackBuilder } from '../../store/objects/pack-builder.ts'
import { publishPack } from '../../store/objects/publish-pack.ts'
import { changeRefs } from '../../store/refs/change-refs.ts'
import { readBranch } from '../../store/refs/read-refs.ts'
import { lockBranch, unlockBranch } from '../../store/refs/ref-lock.ts'
import { type Head, type Objects, readHead, StateSnapshot } from '../../store/snapshot.ts'
import type { JournalCommit } from '../../store/write/journal.ts'
import { addVersions, type Recovered } from '../../store/write/recover.ts'
import { replay } from '../../store/write/replay.ts'
import { writeBranch } from '../../store/write/seal.ts'
import { readEntry } from './entry.ts'
import type { SharedLedger } from './shared-ledger.ts'

/**
 * Applies all entries that the recovered repository lacks. It fetches from another node first when the log no longer
 * has them. External commits are refused.
 * @throws Failure `unavailable` when the log does not know where the branch is, or cannot be read
 * @throws Error for a damaged entry, or one that gives another commit
 */
export async function replayLog(
  gitDir: string,
  objects: Objects,
  ledger: SharedLedger,
  recovered: Recovered,
): Promise<Recovered> {
  const { moved, known } = recovered
  const shown = moved ? moved.from : recovered.head.commit
  let { head } = recovered
  let position = await find(ledger, head)
  if (position === undefined) {
    if (moved?.from && (await find(ledger, readHead(objects, moved.from))) !== undefined)
      throw unknown(head, moved.from)
    await unlockBranch(gitDir)
    try {
      await ledger.log.fetch(ledger.stream, gitDir)
    } finally {
      await lockBranch(gitDir)
    }
    objects.refresh()
    head = readHead(objects, await readBranch(gitDir))
    position = await find(ledger, head)
    if (position === undefined) throw unknown(head)
  }
  // A kill may have come between the branch and the work tree, which then shows what was sealed before.
  const from = await find(ledger, readHead(objects, shown))
  if (from === undefined && shown !== null) {
    const at = (state: Head) => new StateSnapshot(objects, state)
    for (const { path, before } of changedFiles(at(readHead(objects, shown)), at(head)))
      addVersions(known, path, [before])
  }
  ledger.startAfter(Math.min(from ?? position, position))
  head = await takeAll(gitDir, objects, ledger, { head, position, known })
  const isNews = head.commit !== recovered.head.commit || ledger.shown > position
  return { ...recovered, head, moved: undefined, isNews }
}

const find = ({ log, stream }: SharedLedger, { commit }: Head) => log.find(stream, commit)

/**
 * Entry after entry; commits that come together share a pack.
 * @param from the branch's state and the number of its entry; what is read from before that is only noted as known
 * @returns the last state, which the branch is at
 */
async function takeAll(
  gitDir: string,
  objects: Objects,
  ledger: SharedLedger,
  { position, known, ...from }: { head: Head; position: number; known: Recovered['known'] },
): Promise<Head> {
  let { head } = from
  const take = async (records: JournalCommit[]) => {
    if (records.length === 0) return
    const pack = new PackBuilder()
    objects.unsealed.unshift(pack)
    head = await replay(objects, pack, head, records, { exact: true })
    await publishPack(gitDir, pack, () => writeBranch(gitDir, head.commit!))
    objects.sealed(pack)
  }
  for (let entries = await ledger.read(); entries.length > 0; entries = await ledger.read()) {
    let commits: JournalCommit[] = []
    for (const entry of entries) {
      const content = readEntry(entry)
      for (const { path, before, after } of content.commits?.flatMap(({ changes }) => changes) ?? []) {
        addVersions(known, path, [before, after])
      }
      ledger.noteApplied(entry.seq)
      if (entry.seq <= position) continue
      if (content.commits) commits.push(...content.commits)
      else {
        // What it names must be in git.
        await take(commits)
        commits = []
        await changeRefs(gitDir, content.refs)
      }
    }
    await take(commits)
  }
  ledger.show()
  return head
}

function unknown({ commit }: Head, from?: string): Failure {
  const how = from === undefined ? '' : ` (someone moved it there from ${from})`
  return new Failure(
    'unavailable',
    `The branch main of this organization's repository is at ${commit ?? 'no commit'}${how}, which the shared log does ` +
      'not know: put the branch back, or drop it with parlance server cluster reseed.',
  )
}
