/** `git bundle`: a branch and the tags in one file, which git clones and fetches from as from a remote. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../../bundle/errors.ts'
import { closeFile, openFile, renameFile, syncFile, syncFolder } from '../disk.ts'
import { endGroup, FRUGAL, gitVersion, makeHome, OLDEST_GIT, QUIET, runGit, startGit } from './git.ts'

/** What was written; `bytes` is the size of the file. */
export interface BundleFile {
  /** The commit that main is at in it. */
  revision: string
  tags: number
  bytes: number
}

const ERRORS_LIMIT = 4096
const MAIN = 'refs/heads/main'

/**
 * Writes main and all tags of a repository to `output`, whole or not at all; a file that is there is replaced.
 * @throws Failure `unsupported` without git, `not-found` when there is no commit yet, `unavailable` when git fails
 */
export async function writeBundle(gitDir: string, output: string, signal: AbortSignal): Promise<BundleFile> {
  if ((await gitVersion()) === undefined) {
    throw new Failure('unsupported', `An export takes git ${OLDEST_GIT.join('.')} or newer, and there is none here.`)
  }
  const home = await makeHome(gitDir)
  const where = { cwd: gitDir, home, signal }
  const exists = await runGit([...QUIET, `--git-dir=${gitDir}`, 'rev-parse', '--verify', '--quiet', MAIN], where)
  if (exists.code !== 0) throw new Failure('not-found', 'It has no commits yet, so there is nothing to export.')
  const temporary = join(dirname(output), `.${basename(output)}.${randomBytes(6).toString('hex')}`)
  try {
    // HEAD makes `git clone` check main out; a person may have pointed it elsewhere.
    const head = (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim() === `ref: ${MAIN}` ? ['HEAD'] : []
    await create(['bundle', 'create', '--quiet', '-', ...head, MAIN, '--tags'], gitDir, where, temporary)
    const { output: heads } = await runGit([...QUIET, `--git-dir=${gitDir}`, 'bundle', 'list-heads', temporary], where)
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

/** Through this process, so that no name of a file is among git's arguments. */
async function create(
  command: string[],
  gitDir: string,
  where: { cwd: string; home: string; signal: AbortSignal },
  file: string,
): Promise<void> {
  const child = startGit([...QUIET, ...FRUGAL, `--git-dir=${gitDir}`, ...command], where)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', data => (errors = `${errors}${data}`.slice(0, ERRORS_LIMIT)))
  const exited = once(child, 'exit')
  try {
    await pipeline(child.stdout, fs.createWriteStream(file, { flags: 'wx' }))
    const [code] = await exited
    where.signal.throwIfAborted()
    if (code !== 0) throw new Failure('unavailable', `git could not write the bundle: ${errors.trim()}`)
  } finally {
    endGroup(child)
  }
  const descriptor = await openFile(file, 'r+')
  await syncFile(descriptor).finally(() => closeFile(descriptor))
}
