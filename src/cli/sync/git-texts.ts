/** What git has of the app's files, and when they changed there. */
import { execFile } from 'node:child_process'
import { parseResource } from '../../bundle/canonical.ts'
import type { Format } from '../../bundle/names.ts'
import { readTree } from '../../bundle/read-tree.ts'
import { Bundle, isFlat } from '../../bundle/resource.ts'
import type { LocalFile, LocalProject, Resource } from '../local/types.ts'
import type { Environment } from '../surroundings.ts'

/** The newest commits that touched files, each with the ids of what these were before and after it. */
const LOG = '--literal-pathspecs log --stdin -n 50 -m --root --full-history --raw --no-abbrev --no-renames -z --format='

/** Where git is asked. */
export interface Repository {
  /** Of the app, which may be a folder of the repository. */
  root: string
  env: Environment
}

/** Reads what git has of files by names such as `HEAD:./locales/en.json`; undefined for nothing, null for no i18next JSON. */
export type Read = (named: readonly { name: string; file: LocalFile }[]) => Promise<(Bundle | null | undefined)[]>

export function reader(
  repository: Repository,
  local: Pick<LocalProject, 'layout' | 'ignoredKeys'>,
  format: Format,
): Read {
  return async named => {
    const found = await contents(repository, named)
    return named.map(({ file }, at) => found[at] && bundleIn(found[at], file, local, format))
  }
}

/** The path of a file in a commit, for {@link Read}. */
export const at = (commit: string, { path }: Pick<LocalFile, 'path'>): string => `${commit}:./${path}`

/**
 * The ids of what these commits made of the files, newest first; undefined where git fails.
 * @param range such as `main..HEAD`
 * @param before whether to tell also what the files were before each
 */
export async function versionsOf(
  repository: Repository,
  range: string,
  files: readonly Pick<LocalFile, 'path'>[],
  before = true,
): Promise<Map<string, string[]> | undefined> {
  const log = await git(
    repository,
    [...LOG.split(' '), '--relative', '--no-show-signature'],
    [range, '--', ...files.map(({ path }) => path)],
  )
  if (log === undefined) return undefined
  const found = new Map<string, Set<string>>()
  for (const [, old, made, path] of log.toString().matchAll(/:\d+ \d+ (\w+) (\w+) \w+\0([^\0]+)\0/g)) {
    const ids = found.get(path!) ?? new Set()
    found.set(path!, ids)
    for (const id of before ? [made!, old!] : [made!]) if (!/^0+$/.test(id)) ids.add(id)
  }
  return new Map(Array.from(found, ([path, ids]) => [path, [...ids]]))
}

/** The ids of what git has by each name; undefined for nothing. */
export async function idsOf(repository: Repository, names: readonly string[]): Promise<(string | undefined)[]> {
  const told = await git(repository, ['cat-file', '--batch-check'], names)
  const lines = told?.toString().split('\n') ?? []
  return names.map((_, index) => /^(\w+) blob \d+$/.exec(lines[index] ?? '')?.[1])
}

/** The commit that the app is at; undefined without one. */
export async function commitOf(repository: Repository): Promise<string | undefined> {
  return (await git(repository, ['rev-parse', '-q', '--verify', 'HEAD']))?.toString().trim()
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

/** Null for what is no i18next JSON: with the marks of a conflict in it, say. */
function bundleIn(
  bytes: Buffer,
  { namespace }: LocalFile,
  { layout, ignoredKeys }: Pick<LocalProject, 'layout' | 'ignoredKeys'>,
  format: Format,
): Bundle | null {
  try {
    const all = parseResource(bytes) as Resource
    const own = layout === 'merged' ? (all[namespace] as object) : all
    // What is left out may be no text.
    return new Bundle(format, readTree(ignoredKeys.without(own, namespace), isFlat(format), true))
  } catch {
    return null
  }
}

/** What a hook of git tells its commands would be of another folder. */
const OF_HOOKS = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX']

/** What git says; undefined when it fails, or is not there. @param lines on its standard input */
export function git(
  { root, env }: Repository,
  words: string[],
  lines: readonly string[] = [],
): Promise<Buffer | undefined> {
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
