/** `git bundle`: a branch and the tags in one file, which git clones and fetches from like a remote. */
import { randomBytes } from 'node:crypto'
import { readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { closeFile, openFile, renameFile, syncFile, syncFolder } from '../disk.ts'
import { FRUGAL, requireGit, runIn } from './git.ts'

/** What was written; `bytes` is the file's size. */
export interface BundleFile {
  revision: string
  tags: number
  bytes: number
}

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
    // HEAD makes `git clone` check main out; a person may have pointed it elsewhere.
    const head = (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim() === `ref: ${MAIN}` ? ['HEAD'] : []
    const argv = [...FRUGAL, 'bundle', 'create', '--quiet', temporary, ...head, MAIN, '--tags']
    const { code, errors } = await runIn(gitDir, argv, { signal, gently: true })
    signal.throwIfAborted()
    if (code !== 0) throw new Failure('unavailable', `git could not write the bundle: ${errors.slice(0, ERRORS_LIMIT)}`)
    const descriptor = await openFile(temporary, 'r+')
    await syncFile(descriptor).finally(() => closeFile(descriptor))
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
