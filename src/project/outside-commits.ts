/** Judges commits that someone made with git while no server ran. */
import { changedFiles } from './changed-files.ts'
import { classify, inOrder, type JudgedFile, type JudgeEdit, judgeFile, type Problem, reason } from './judge.ts'
import { bundlesOf } from './layout.ts'
import { bundlePath } from './project.ts'
import { Overlay, type State } from './state.ts'

/**
 * Judges every path in which two states differ: the server's last one, and the one found.
 * @returns what to commit on top so that HEAD obeys the rules (good files in canonical bytes; for bad ones the last
 * good bytes, or a removal), and the bad files, which stay in the work tree
 */
export async function checkCommits(
  before: State,
  after: State,
  judge: JudgeEdit,
): Promise<{ adopt: JudgedFile[]; problems: Problem[] }> {
  const accepted = new Overlay(before)
  const adopt: JudgedFile[] = []
  const problems: Problem[] = []

  const settle = (path: string, bytes: Buffer | null) => {
    accepted.set(path, bytes)
    const present = after.read(path)
    if (bytes === null ? present !== undefined : !present?.equals(bytes)) {
      adopt.push({ path, bytes, over: after.entry(path)?.id ?? null })
    }
  }
  const refuse = (path: string, error: string) => {
    problems.push({ path, error })
    settle(path, before.read(path) ?? null)
  }

  for (const path of inOrder(changedFiles(before, after).map(({ path }) => path))) {
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
        settle(path, await judgeFile(file, bytes, accepted, { judge }))
      } catch (error) {
        refuse(path, reason(error))
      }
    }
  }
  return { adopt, problems }
}
