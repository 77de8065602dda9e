/**
 * What both sides had last is of the branch that the app was on then. git puts the files of another branch in their
 * place, and their older texts are no edits: what they are is told by the commits of both branches, as in a merge.
 */
import { peel } from '../../bundle/message.ts'
import type { LocalFile } from '../local/types.ts'
import { at, commitOf, git, type Read, type Repository, versionsOf } from './git-texts.ts'
import { textOf } from './merge.ts'

/** A file with texts that differ from those which both sides had last, on another branch. */
export interface Elsewhere {
  file: LocalFile
  /** The other branch, or commit. */
  on: string
  /** What both sides had of the leaves in question, by their names; null for nothing. */
  last: Map<string, string | null>
}

/** The branch, as `refs/heads/main`; the commit where there is none; undefined without a repository, or without git. */
export async function headOf(repository: Repository): Promise<string | undefined> {
  const branch = await git(repository, ['symbolic-ref', '-q', 'HEAD'])
  return branch ? branch.toString().trim() : commitOf(repository)
}

/** As people name it. */
export const branchName = (head: string): string =>
  head.startsWith('refs/heads/') ? head.slice('refs/heads/'.length) : head.slice(0, 7)

/**
 * What to compare those leaves with on this branch, file by file, where that is not what both sides had last. A text
 * that a commit of this branch had was changed upon that. Else, where the other branch has changed it since the two
 * parted, what both had then counts: whoever still has that has an older text. Of all others nothing is known, told by
 * undefined, but for a key that was not there: it is new.
 */
export async function basesHere(
  repository: Repository,
  read: Read,
  elsewhere: readonly Elsewhere[],
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
    // A file that git does not keep stays as it is from branch to branch.
    const isKept = then[index] !== undefined || versions === undefined || versions.has(file.path)
    for (const [name, text] of isKept ? last : []) {
      const [there, before] = [then, fork].map(side => (side[index] && textOf(side[index], peel(name))) ?? null)
      const isForked = forks.get(on) !== undefined
      if (had[index]!.has(name) || (isForked && before === text)) continue
      // Of a key that was gone last it must be gone there: it may be one that was never pushed.
      const hasMoved = then[index] !== undefined && there !== before && (text !== null || there === null)
      if (isForked && hasMoved) bases.set(name, before)
      else if (text !== null) bases.set(name, undefined)
    }
    return bases
  })
}

/** Of each file the leaves in question whose last text a commit of this branch had. */
async function textsHad(
  elsewhere: readonly Elsewhere[],
  versions: ReadonlyMap<string, string[]>,
  read: Read,
): Promise<Set<string>[]> {
  const all = elsewhere.map(({ file, last }) => ({ file, last, had: new Set<string>() }))
  const ages = Math.max(0, ...Array.from(versions.values(), ids => ids.length))
  // Few are looked into further than their newest: one at a time is little to hold.
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
