import { gitVersion } from '../git/git.ts'
import { newestChangeInGit } from '../git/rev-list.ts'
import { readCommit } from '../objects/commit.ts'
import { type Objects, readHead } from '../snapshot.ts'
import { askGit, followFirstParents, type LookAtPast, type RunGit } from './past.ts'

/** Bytes of an answer in the cache besides its name, about. */
const ANSWER_BYTES = 300

/**
 * The first commit of `from` and its first parents that changed one of the folders; null where none did. git has an
 * index for old commits.
 * @param folders names at the root
 * @throws Failure `unavailable` when git fails or too many ask at once
 */
export async function newestChange(
  folders: readonly string[],
  from: string,
  look: LookAtPast,
  runGit: RunGit,
): Promise<string | null> {
  const name = nameOf(folders, from)
  const known = await look(past => past?.times.get(name))
  if (known) return known.commit
  const inGit = async (next: string) => ({
    commit: await askGit(next, look, runGit, gitDir => newestChangeInGit(gitDir, next, folders)),
  })
  const found = await followFirstParents<{ commit: string | null }>(
    from,
    look,
    ({ objects, times }, id) =>
      times.get(nameOf(folders, id)) ?? (isChange(objects, id, folders) ? { commit: id } : undefined),
    (await gitVersion()) === undefined ? undefined : inGit,
  )
  const commit = found?.commit ?? null
  await look(past => past?.times.set(name, { commit }, { size: ANSWER_BYTES + name.length }))
  return commit
}

/** Whether an id, of anything or nothing, is of a commit that differs from its first parent in one of the folders. */
export const isCommitWithin = (objects: Objects, id: string, folders: readonly string[]): boolean =>
  objects.find(id)?.type === 'commit' && isChange(objects, id, folders)

function isChange(objects: Objects, commit: string, folders: readonly string[]): boolean {
  const [parent] = readCommit(objects.commit(commit)).parents
  const [before, after] = [parent ?? null, commit].map(id => objects.tree(readHead(objects, id).root))
  return folders.some(name => before!.get(name)?.id !== after!.get(name)?.id)
}

/** Times, the other names in the same cache, have no blank. */
const nameOf = (folders: readonly string[], commit: string) => `${folders.join(' ')} ${commit}`
