/** `git bundle`: a branch and the tags in one file, which git clones and fetches from like a remote. */
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../../bundle/errors.ts'
import { createInside, renameFile, syncAt, syncFolder } from '../disk.ts'
import { FRUGAL, pipeIn, requireGit, runIn } from './git.ts'

/** What was written; `bytes` is the file's size. */
export interface BundleFile {
  revision: string
  tags: number
  bytes: number
}

/** All refs of an organization's repository. */
export const FETCHED_REFS = [
  'refs/heads/main:refs/heads/main',
  'refs/tags/*:refs/tags/*',
  'refs/parlance/*:refs/parlance/*',
].map(ref => `+${ref}`)
/** `git fetch` of what is named behind it, and refs that are gone there go: one pack, nothing beside, no upkeep. */
export const FETCH = [
  ...['-c', 'fetch.unpackLimit=1', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'],
  ...['fetch', '--quiet', '--prune', '--no-tags', '--no-write-fetch-head', '--update-head-ok'],
  '--no-recurse-submodules',
]
/**
 * The name of a bundle while it is fetched from, below `.git/parlance/`. The next one overwrites it, or a start removes
 * it.
 */
export const FETCHED = 'fetched.bundle'

const ERRORS_LIMIT = 4096
const MAIN = 'refs/heads/main'

/**
 * Writes main and all tags to `output`, whole or not at all; replaces an existing file.
 * @throws Failure `unsupported` without git, `not-found` when there is no commit yet, `unavailable` when git fails
 */
export async function writeBundle(gitDir: string, output: string, signal: AbortSignal): Promise<BundleFile> {
  await requireGit('An export')
  const exists = await runIn(gitDir, ['rev-parse', '--verify', '--quiet', MAIN], { signal })
  if (exists.code !== 0) throw new Failure('not-found', 'It has no commits yet, so there is nothing to export.')
  const temporary = resolve(dirname(output), `.${basename(output)}.${randomBytes(6).toString('hex')}`)
  try {
    // With HEAD, `git clone` checks main out; a person may have pointed it elsewhere.
    const head = (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim() === `ref: ${MAIN}` ? ['HEAD'] : []
    const argv = [...FRUGAL, 'bundle', 'create', '--quiet', temporary, ...head, MAIN, '--tags']
    const { code, errors } = await runIn(gitDir, argv, { signal, gently: true })
    signal.throwIfAborted()
    if (code !== 0) throw new Failure('unavailable', `git could not write the bundle: ${errors.slice(0, ERRORS_LIMIT)}`)
    await syncAt(temporary, 'r+')
    const { output: heads } = await runIn(gitDir, ['bundle', 'list-heads', temporary], { signal })
    const revision = new RegExp(`^([0-9a-f]{40}) ${MAIN}$`, 'm').exec(heads)?.[1]
    if (revision === undefined) throw new Failure('unavailable', 'git wrote a bundle without main.')
    const { size } = await stat(temporary)
    await renameFile(temporary, output)
    await syncFolder(dirname(output))
    return { revision, tags: heads.split(' refs/tags/').length - 1, bytes: size }
  } finally {
    await rm(temporary, { force: true })
  }
}

/**
 * Writes main, tags and the record of deleted releases to a stream; it is cut off where git fails.
 * @throws Failure `not-found` when there is no commit yet
 */
export async function streamBundle(gitDir: string, output: Writable, signal: AbortSignal): Promise<void> {
  const exists = await runIn(gitDir, ['rev-parse', '--verify', '--quiet', MAIN], { signal })
  if (exists.code !== 0) throw new Failure('not-found', 'It has no commits yet.')
  const argv = [...FRUGAL, 'bundle', 'create', '--quiet', '-', MAIN, '--tags', '--glob=refs/parlance/*']
  const code = await pipeIn(gitDir, argv, () => output, { signal, inBackground: true, end: false })
  if (code !== 0) throw new Failure('unavailable', 'git could not write the bundle.')
  output.end()
}

/**
 * Brings a repository to what a bundle of {@link streamBundle} has.
 * @throws Failure `unavailable` when it is not whole
 */
export async function fetchBundle(gitDir: string, input: Readable, signal: AbortSignal): Promise<void> {
  const folder = join(gitDir, 'parlance')
  await createInside(folder)
  const file = join(folder, FETCHED)
  try {
    await pipeline(input, createWriteStream(file), { signal })
    const argv = ['-c', 'fetch.fsckObjects=true', ...FETCH, '--', file, ...FETCHED_REFS]
    const { code, errors } = await runIn(gitDir, argv, { signal, inBackground: true })
    signal.throwIfAborted()
    if (code !== 0)
      throw new Failure('unavailable', `What came is no whole repository: ${errors.slice(0, ERRORS_LIMIT)}`)
  } finally {
    await rm(file, { force: true })
  }
}
