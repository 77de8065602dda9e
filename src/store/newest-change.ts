/** The commits of the main line that changed some folders of the repository, such as those of some projects. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { gitVersion } from './git/git.ts'
import { newestChangeInGit } from './git/rev-list.ts'
import { readCommit } from './objects/commit.ts'
import { type LookAtPast, type RepositoryPast, type RunGit, stride } from './past.ts'
import { type Objects, readHead } from './snapshot.ts'

/** Bytes of an answer in the cache beside its name, about. */
const ANSWER_BYTES = 300
/** Looks at the newest commits before git is asked, which takes a seal and a process. */
const MOST_LOOKS = 32

/**
 * The first commit of `from` and its first parents that changed one of the folders; null where none did. The newest
 * commits are looked through here, the others by git, which has an index of them.
 * @param folders names at the root
 * @throws Failure `unavailable` when git fails or too many ask at once
 */
export async function newestChange(
  folders: readonly string[],
  from: string,
  look: LookAtPast,
  readGit: RunGit,
): Promise<string | null> {
  const name = nameOf(folders, from)
  const known = await look(history => history?.times.get(name))
  if (known) return known.commit
  const git = (await gitVersion()) !== undefined
  let commit: string | null = from
  let next = from
  for (let looks = 1; ; looks++) {
    await nextSlice()
    const step = await look(history => history && walk(history, next, folders))
    if (step === undefined) return null
    if ('found' in step) {
      commit = step.found
      break
    }
    if (git && looks >= MOST_LOOKS) {
      commit = await readGit(gitDir => newestChangeInGit(gitDir, step.next, folders))
      break
    }
    next = step.next
  }
  await look(history => history?.times.set(name, { commit }, { size: ANSWER_BYTES + name.length }))
  return commit
}

let slices: Promise<unknown> = Promise.resolve()

/** One slice of all searches in each turn of the event loop, however many there are. */
function nextSlice(): Promise<unknown> {
  slices = slices.then(() => yieldToOthers())
  return slices
}

type Step = { found: string | null } | { next: string }

function walk({ objects, times }: RepositoryPast, from: string, folders: readonly string[]): Step {
  let commit = from
  for (const _ of stride()) {
    const known = times.get(nameOf(folders, commit))
    if (known) return { found: known.commit }
    const [parent] = readCommit(objects.commit(commit)).parents
    if (isChange(objects, commit, folders)) return { found: commit }
    if (parent === undefined) return { found: null }
    commit = parent
  }
  return { next: commit }
}

/** Whether an id, of anything or nothing, is of a commit that differs from its first parent in one of the folders. */
export const isCommitWithin = (objects: Objects, id: string, folders: readonly string[]): boolean =>
  objects.find(id)?.type === 'commit' && isChange(objects, id, folders)

function isChange(objects: Objects, commit: string, folders: readonly string[]): boolean {
  const [parent] = readCommit(objects.commit(commit)).parents
  const [before, after] = [parent ?? null, commit].map(id => objects.tree(readHead(objects, id).root, true))
  return folders.some(name => before!.get(name)?.id !== after!.get(name)?.id)
}

/** Times, the other names in the same cache, have no blank. */
const nameOf = (folders: readonly string[], commit: string) => `${folders.join(' ')} ${commit}`
