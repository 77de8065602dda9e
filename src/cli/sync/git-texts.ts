/** Reads the app's files from git, and their versions. */
import { execFile } from 'node:child_process'
import { parseResource } from '../../bundle/canonical.ts'
import type { Format } from '../../bundle/names.ts'
import { readTree } from '../../bundle/read-tree.ts'
import { Bundle, isFlat } from '../../bundle/resource.ts'
import type { LocalFile, Resource } from '../local/local-bundle.ts'
import type { LocalProject } from '../local/types.ts'
import type { CliEnvironment } from '../surroundings.ts'

/** Lists the newest commits of files, with the blob ids before and after each. */
const LOG = '--literal-pathspecs log --stdin -n 50 -m --root --full-history --raw --no-abbrev --no-renames -z --format='

/** The repository of the app. */
export interface Repository {
  /** The app's folder, which may be a subfolder of the repository. */
  root: string
  env: CliEnvironment
}

/** Reads files by git names such as `HEAD:./locales/en.json`. Undefined: missing; null: not i18next JSON. */
export type GitReader = (named: readonly { name: string; file: LocalFile }[]) => Promise<(Bundle | null | undefined)[]>

export function reader(
  repository: Repository,
  local: Pick<LocalProject, 'layout' | 'ignoredKeys'>,
  format: Format,
): GitReader {
  return async named => {
    const found = await contents(repository, named)
    return named.map(({ file }, at) => found[at] && bundleIn(found[at], file, local, format))
  }
}

/** The path of a file in a commit, for {@link GitReader}. */
export const at = (commit: string, { path }: Pick<LocalFile, 'path'>): string => `${commit}:./${path}`

/**
 * The blob ids of files in a range of commits, newest first; undefined if git fails.
 * @param range such as `main..HEAD`
 * @param before whether to include the ids before each commit
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

/** The blob id of each name; undefined for a missing one. */
export async function idsOf(repository: Repository, names: readonly string[]): Promise<(string | undefined)[]> {
  const answer = await git(repository, ['cat-file', '--batch-check'], names)
  const lines = answer?.toString().split('\n') ?? []
  return names.map((_, index) => /^(\w+) blob \d+$/.exec(lines[index] ?? '')?.[1])
}

/** The current commit; undefined without one. */
export async function commitOf(repository: Repository): Promise<string | undefined> {
  return (await git(repository, ['rev-parse', '-q', '--verify', 'HEAD']))?.toString().trim()
}

/** The content of each name; undefined for a missing one. */
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

/** Null for content that is not i18next JSON, such as a file with conflict marks. */
function bundleIn(
  bytes: Buffer,
  { namespace }: LocalFile,
  { layout, ignoredKeys }: Pick<LocalProject, 'layout' | 'ignoredKeys'>,
  format: Format,
): Bundle | null {
  try {
    const all = parseResource(bytes) as Resource
    const own = layout === 'merged' ? (all[namespace] as object) : all
    // Left-out values need not be texts.
    return new Bundle(format, readTree(ignoredKeys.without(own, namespace), isFlat(format), true))
  } catch {
    return null
  }
}

/** Variables that a git hook sets. They may name another repository. */
const HOOK_VARIABLES = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX']

/** Runs git; undefined if it fails or is missing. @param lines for its standard input */
export function git(
  { root, env }: Repository,
  words: string[],
  lines: readonly string[] = [],
): Promise<Buffer | undefined> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !HOOK_VARIABLES.includes(name)))
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
