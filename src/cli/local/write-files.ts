/** Writes files so that whoever reads them, now or after a crash, sees the old or the new one, whole. */
import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { Problem } from '../problem.ts'
import { isAlive } from './alive.ts'
import type { FileContent } from './types.ts'

/** What a permission, a full disk and the like are in words. */
const WORDS: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your quota of the disk is used up',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
}

/** Files that a sentence names. */
const MOST_NAMED = 10

/** Files written at once: most of the time is waiting for the disk. */
const AT_ONCE = 8

/**
 * Writes files: each to a temporary one beside it, synced, then renamed over it; with the mode of the file before it. A
 * link is followed: what it leads to is written, if that is in the root.
 * @param stop Ctrl-C: what is whole stays, the rest is not begun
 * @returns the paths that were written, in their order
 * @throws Problem naming a file that could not be written, or how many were not, with those that were in `data.written`
 */
export async function writeFiles(root: string, files: readonly FileContent[], stop: AbortSignal): Promise<string[]> {
  const whole = new Set<string>()
  const real = await realpath(root)
  await clear(root, files)
  const waiting = files.values()
  let failed: { path: string; error: unknown } | undefined
  const work = async () => {
    for (const { path, bytes } of waiting) {
      if (failed || stop.aborted) return
      try {
        if (bytes === null) await rm(join(root, path), { force: true })
        else await replace(await targetOf(real, path), bytes)
        whole.add(path)
      } catch (error) {
        failed ??= { path, error }
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const written = files.map(({ path }) => path).filter(path => whole.has(path))
  if (failed) {
    const { path, error } = failed
    if (error instanceof Problem) throw unfinished(error.message, files, written, path)
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw unfinished(`It cannot be written: ${WORDS[code] ?? code}.`, files, written, path, error)
  }
  if (written.length < files.length) throw unfinished('Stopped', files, written)
  return written
}

function unfinished(
  sentence: string,
  files: readonly FileContent[],
  written: string[],
  file?: string,
  cause?: unknown,
): Problem {
  const left = files.length - written.length
  const more = written.length > MOST_NAMED ? ` and ${written.length - MOST_NAMED} more` : ''
  const named = `${written.slice(0, MOST_NAMED).join(', ')}${more}`
  const told = written.length > 0 ? `Written, and whole: ${named}.` : 'No file was changed.'
  const message = file === undefined ? `${sentence} before ${left} of ${files.length} files were written.` : sentence
  return new Problem(message, { file, hint: told, cause, data: { written } })
}

/** Where a path leads. @param root without links @throws Problem for a link out of the root */
async function targetOf(root: string, path: string): Promise<string> {
  const target = join(root, path)
  const real = await realpath(target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    const dangles = await lstat(target).then(
      () => true,
      () => false,
    )
    if (dangles) throw new Problem('It is a link that leads nowhere; remove it, or make what it leads to.')
    await mkdir(dirname(target), { recursive: true })
    return join(await realpath(dirname(target)), basename(target))
  })
  const from = relative(root, real)
  if (from.startsWith(`..${sep}`)) {
    throw new Problem(`It leads out of this folder, to ${real}; write there from its own folder, or remove the link.`)
  }
  return real
}

/** Names of temporary files differ between runs, whose processes in containers may all have one id, and in one by a number. */
const RUN = `${process.pid}-${randomBytes(4).toString('hex')}`
let made = 0
const TEMPORARY = /^\.(.+)\.(\d+)-([0-9a-f]{8})-\d+\.tmp$/

/** Removes what runs that were killed left beside these files. */
async function clear(root: string, files: readonly FileContent[]): Promise<void> {
  const targets = new Set(files.map(({ path }) => join(root, path)))
  for (const folder of new Set(Array.from(targets, dirname))) {
    for (const name of await readdir(folder).catch(() => [])) {
      const [, target = '', id, run] = TEMPORARY.exec(name) ?? []
      if (id === undefined || !targets.has(join(folder, target)) || `${id}-${run}` === RUN) continue
      if (Number(id) === process.pid || !isAlive(Number(id))) await rm(join(folder, name), { force: true })
    }
  }
}

async function replace(target: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(target)
  const temporary = join(folder, `.${basename(target)}.${RUN}-${++made}.tmp`)
  const mode = await lstat(target).then(
    ({ mode }) => mode & 0o7777,
    () => undefined,
  )
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      // What a umask took from a mode that the file before has.
      if (mode !== undefined) await file.chmod(mode)
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
