/** Judges commits that someone made with git while no server ran. */
import { type ComputeAside, withSteps } from './aside.ts'
import { changedFiles } from './changed-files.ts'
import { followSource } from './follow-source.ts'
import { classify, inOrder, type JudgedFile, judgeFile, type Problem, reason } from './judge.ts'
import { bundlesOf } from './layout.ts'
import { bundlePath } from './project.ts'
import { isStaleFile } from './stale.ts'
import type { ComputeSteps } from './stale-steps.ts'
import { Overlay, type State } from './state.ts'

/**
 * Judges every path in which two states differ: the server's last one, and the one found.
 * @returns what to commit on top so that HEAD obeys the rules (good files in canonical bytes; for bad ones the last
 * good bytes, or a removal; last the notes of what became stale), and the bad files, which stay in the work tree
 */
export async function checkCommits(
  before: State,
  after: State,
  compute: ComputeAside,
): Promise<{ adopt: JudgedFile[]; problems: Problem[] }> {
  const accepted = new Overlay(before)
  const adopt: JudgedFile[] = []
  const problems: Problem[] = []

  const settle = (path: string, bytes: Buffer | null) => {
    if (bytes === null) accepted.remove(path)
    else accepted.put(path, bytes)
    const present = after.read(path)
    if (bytes === null ? present !== undefined : !present?.equals(bytes)) {
      adopt.push({ path, bytes, over: after.entry(path)?.id ?? null })
    }
  }
  const refuse = (path: string, error: string) => {
    problems.push({ path, error })
    settle(path, before.read(path) ?? null)
  }

  const changed = inOrder(changedFiles(before, after).map(({ path }) => path))
  for (const path of changed) {
    const file = classify(path)
    const bytes = after.read(path)
    if (file === undefined) continue
    if (bytes === undefined) {
      const stays = (slug: string) => bundlesOf(accepted, slug).some(bundle => after.entry(bundlePath(bundle)))
      settle(path, file.kind === 'project' && stays(file.slug) ? (before.read(path) ?? null) : null)
    } else if (file.kind === 'misnamed') {
      refuse(path, file.error)
    } else {
      try {
        settle(path, await judgeFile(file, bytes, accepted, { compute }))
      } catch (error) {
        refuse(path, reason(error))
      }
    }
  }
  const follow = (steps: ComputeSteps) => {
    for (const _ of followSource(accepted, {}, steps));
  }
  await withSteps(compute, follow, Infinity)
  // The notes that all those commits come to, whatever they made of the files themselves.
  for (const path of new Set([...changed, ...accepted.changed()].filter(isStaleFile))) {
    settle(path, accepted.read(path) ?? null)
  }
  return { adopt, problems }
}
