/**
 * A merge base belongs to the branch it was recorded on. After a switch the files of another branch may have older
 * texts, which are no edits. The commits of both branches decide, as in a merge of git.
 */
import { peel } from '../../bundle/message.ts'
import type { LocalFile } from '../local/local-bundle.ts'
import { at, commitOf, type GitReader, git, type Repository, versionsOf } from './git-texts.ts'
import { textOf } from './merge.ts'

/** A file with texts that differ from a merge base of another branch. */
export interface OtherBranchTexts {
  file: LocalFile
  /** The other branch, or commit. */
  on: string
  /** The base texts of these leaves; null for none. */
  last: Map<string, string | null>
}

/** The branch, as `refs/heads/main`, or the commit of a detached HEAD. Undefined without a repository or git. */
export async function headOf(repository: Repository): Promise<string | undefined> {
  const branch = await git(repository, ['symbolic-ref', '-q', 'HEAD'])
  return branch ? branch.toString().trim() : commitOf(repository)
}

/** The short name. */
export const branchName = (head: string): string =>
  head.startsWith('refs/heads/') ? head.slice('refs/heads/'.length) : head.slice(0, 7)

/**
 * The bases of these leaves on this branch, for each file; a leaf that retains its base is left out.
 *
 * - A commit of this branch has the base text: the leaf was edited since, and retains its base.
 * - Only the other branch changed the leaf since the fork: the text at the fork is the base.
 * - Otherwise the base is unknown (undefined). A leaf that was missing then is new, and retains its base.
 */
export async function basesHere(
  repository: Repository,
  read: GitReader,
  elsewhere: readonly OtherBranchTexts[],
): Promise<Map<string, string | null | undefined>[]> {
  if (elsewhere.length === 0) return []
  const forks = new Map<string, string | undefined>()
  for (const on of new Set(elsewhere.map(({ on }) => on))) {
    forks.set(on, (await git(repository, ['merge-base', 'HEAD', on]))?.toString().trim())
  }
  const then = await read(elsewhere.map(({ file, on }) => ({ file, name: at(on, file) })))
  const fork = await read(elsewhere.map(({ file, on }) => ({ file, name: at(forks.get(on) ?? on, file) })))
  const versions = await versionsOf(
    repository,
    'HEAD',
    elsewhere.map(({ file }) => file),
  )
  const had = await textsHad(elsewhere, versions ?? new Map(), read)
  return elsewhere.map(({ file, on, last }, index) => {
    const bases = new Map<string, string | null | undefined>()
    // A switch of branches does not change an untracked file.
    const isTracked = then[index] !== undefined || versions === undefined || versions.has(file.path)
    for (const [name, text] of isTracked ? last : []) {
      const [there, before] = [then, fork].map(side => (side[index] && textOf(side[index], peel(name))) ?? null)
      const isForked = forks.get(on) !== undefined
      if (had[index]!.has(name) || (isForked && before === text)) continue
      // A leaf without a base text may be one that was never pushed, unless the other branch removed it.
      const hasMoved = then[index] !== undefined && there !== before && (text !== null || there === null)
      if (isForked && hasMoved) bases.set(name, before)
      else if (text !== null) bases.set(name, undefined)
    }
    return bases
  })
}

/** The leaves of each file with a base text that a commit of this branch has. */
async function textsHad(
  elsewhere: readonly OtherBranchTexts[],
  versions: ReadonlyMap<string, string[]>,
  read: GitReader,
): Promise<Set<string>[]> {
  const all = elsewhere.map(({ file, last }) => ({ file, last, had: new Set<string>() }))
  const ages = Math.max(0, ...Array.from(versions.values(), ids => ids.length))
  // Version by version: the newest one decides on most files.
  for (let age = 0; age < ages; age++) {
    const open = all.flatMap(one => {
      const name = versions.get(one.file.path)?.[age]
      const isOpen = Array.from(one.last).some(([leaf, text]) => text !== null && !one.had.has(leaf))
      return isOpen && name !== undefined ? { ...one, name } : []
    })
    if (open.length === 0) break
    for (const [at, bundle] of (await read(open)).entries()) {
      const { last, had } = open[at]!
      for (const [leaf, text] of last) if (bundle && textOf(bundle, peel(leaf)) === text) had.add(leaf)
    }
  }
  return all.map(({ had }) => had)
}
