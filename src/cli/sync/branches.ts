/**
 * What both sides had last is of the branch that the app was on then. git puts the files of another branch in their
 * place, and their older texts are no edits: what they are is told by the commits of both branches, as in a merge.
 */
import { execFile } from 'node:child_process'
import { parseResource } from '../../bundle/canonical.ts'
import { peel } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import { readTree } from '../../bundle/read-tree.ts'
import { Bundle, isFlat } from '../../bundle/resource.ts'
import type { LocalFile, LocalProject, Resource } from '../local/types.ts'
import type { Environment } from '../surroundings.ts'
import { textOf } from './merge.ts'

/** The newest commits that touched files, each with the ids of what these were before and after it. */
const LOG = '--literal-pathspecs log --stdin -n 50 -m --root --full-history --raw --no-abbrev --no-renames -z --format='

/** Where git is asked. */
export interface Repository {
  /** Of the app, which may be a folder of the repository. */
  root: string
  env: Environment
}

/** A file with texts that differ from those which both sides had last, on another branch, or before it was put back. */
export interface Elsewhere {
  file: LocalFile
  /** The other branch, or commit. */
  on: string
  /** What both sides had of the leaves in question, by their names; null for nothing. */
  last: Map<string, string | null>
  /** What it has of them, where it is byte by byte what a pull on this branch wrote over. */
  putBack: Map<string, string | null> | undefined
}

/** The branch, as `refs/heads/main`; the commit where there is none; undefined without a repository, or without git. */
export async function headOf(repository: Repository): Promise<string | undefined> {
  const head =
    (await git(repository, ['symbolic-ref', '-q', 'HEAD'])) ??
    (await git(repository, ['rev-parse', '-q', '--verify', 'HEAD']))
  return head?.toString().trim()
}

/** As people name it. */
export const branchName = (head: string): string =>
  head.startsWith('refs/heads/') ? head.slice('refs/heads/'.length) : head.slice(0, 7)

/**
 * What to compare those leaves with on this branch, file by file, where that is not what both sides had last. A text
 * that a commit of this branch had was changed upon that. Else, where the other branch has changed it since the two
 * parted, what both had then counts: whoever still has that has an older text. Of all others nothing is known, told by
 * undefined, but for a key that was not there: it is new. A file that was put back is older than the pull that no commit
 * of this branch has any text of.
 */
export async function basesHere(
  repository: Repository,
  { layout }: Pick<LocalProject, 'layout'>,
  format: Format,
  elsewhere: readonly Elsewhere[],
): Promise<Map<string, string | null | undefined>[]> {
  if (elsewhere.length === 0) return []
  const read: Read = async named => {
    const found = await contents(repository, named)
    return named.map(({ file }, at) => found[at] && bundleIn(found[at], file, layout, format))
  }
  const forks = new Map<string, string | undefined>()
  for (const on of new Set(elsewhere.map(({ on }) => on))) {
    forks.set(on, (await git(repository, ['merge-base', 'HEAD', on]))?.toString().trim())
  }
  const at = (commit: string, { path }: LocalFile) => `${commit}:./${path}`
  const then = await read(elsewhere.map(({ file, on }) => ({ file, name: at(on, file) })))
  const fork = await read(elsewhere.map(({ file, on }) => ({ file, name: at(forks.get(on) ?? on, file) })))
  const versions = await versionsOf(repository, elsewhere)
  const had = await textsHad(elsewhere, versions ?? new Map(), read)
  return elsewhere.map(({ file, on, last, putBack }, index) => {
    const bases = new Map<string, string | null | undefined>()
    // A file that git does not keep stays as it is from branch to branch.
    const isKept = then[index] !== undefined || versions === undefined || versions.has(file.path)
    if (putBack) {
      // Where a commit has anything of the pull, a key that was gone may have been put in again.
      const isOlder = ([name]: [string, unknown]) =>
        isKept && !had[index]!.has(name) && (last.get(name) !== null || had[index]!.size === 0)
      return new Map([...putBack].filter(isOlder))
    }
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

type Read = (named: readonly { name: string; file: LocalFile }[]) => Promise<(Bundle | undefined)[]>

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

/** The ids of what the files have been in the commits of this branch, newest first; undefined where git fails. */
async function versionsOf(
  repository: Repository,
  files: readonly Pick<Elsewhere, 'file'>[],
): Promise<Map<string, string[]> | undefined> {
  const log = await git(
    repository,
    [...LOG.split(' '), '--relative', '--no-show-signature'],
    ['HEAD', '--', ...files.map(({ file }) => file.path)],
  )
  if (log === undefined) return undefined
  const found = new Map<string, Set<string>>()
  for (const [, before, after, path] of log.toString().matchAll(/:\d+ \d+ (\w+) (\w+) \w+\0([^\0]+)\0/g)) {
    const ids = found.get(path!) ?? new Set()
    found.set(path!, ids)
    for (const id of [after!, before!]) if (!/^0+$/.test(id)) ids.add(id)
  }
  return new Map(Array.from(found, ([path, ids]) => [path, [...ids]]))
}

/** What git has by each name; undefined for nothing. */
async function contents(repository: Repository, named: readonly { name: string }[]): Promise<(Buffer | undefined)[]> {
  const names = Array.from(named, ({ name }) => name)
  const all = await git(repository, ['cat-file', '--batch'], names)
  let at = 0
  return names.map(() => {
    if (all === undefined || at >= all.length) return undefined
    const end = all.indexOf('\n', at)
    const [, type, size] = / (\w+) (\d+)$/.exec(all.toString('utf8', at, end)) ?? []
    const from = end + 1
    at = size === undefined ? from : from + Number(size) + 1
    return type === 'blob' ? all.subarray(from, at - 1) : undefined
  })
}

/** Undefined for what is no i18next JSON: with the marks of a conflict in it, say. */
function bundleIn(
  bytes: Buffer,
  { namespace }: LocalFile,
  layout: LocalProject['layout'],
  format: Format,
): Bundle | undefined {
  try {
    const all = parseResource(bytes) as Resource
    return new Bundle(format, readTree(layout === 'merged' ? (all[namespace] as object) : all, isFlat(format), true))
  } catch {
    return undefined
  }
}

/** What a hook of git tells its commands would be of another folder. */
const OF_HOOKS = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX']

/** What git says; undefined when it fails, or is not there. @param lines on its standard input */
function git({ root, env }: Repository, words: string[], lines: readonly string[] = []): Promise<Buffer | undefined> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !OF_HOOKS.includes(name)))
  const options = {
    cwd: root,
    env: { ...own, GIT_TERMINAL_PROMPT: '0' },
    encoding: 'buffer',
    maxBuffer: Infinity,
  } as const
  return new Promise(resolve => {
    const child = execFile('git', words, options, (error, out) => resolve(error ? undefined : out))
    child.stdin?.on('error', () => {}).end(lines.map(line => `${line}\n`).join(''))
  })
}
