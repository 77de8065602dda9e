/** Writes files so that whoever reads them sees the old or the new one, whole; and of one that was there so after a crash. */
import { randomBytes } from 'node:crypto'
import { constants, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
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
 * Writes files: each to a temporary one beside it, then renamed over it, synced and with the mode of the file before it
 * where there is one. A link is followed: what it leads to is written, if that is in the root.
 * @param stop Ctrl-C: what is whole stays, the rest is not begun
 * @returns the paths that were written, in their order
 * @throws Problem naming a file that could not be written, or how many were not, with those that were in `data.written`
 */
export async function writeFiles(root: string, files: readonly FileContent[], stop: AbortSignal): Promise<string[]> {
  const whole = new Set<string>()
  const real = await realpath(root)
  const present = await clear(root, files)
  const waiting = files.values()
  const folders = new Map<string, Promise<string>>()
  let failed: { path: string; error: unknown } | undefined
  const work = async () => {
    for (const { path, bytes } of waiting) {
      if (failed || stop.aborted) return
      try {
        if (bytes === null) await rm(join(root, path), { force: true })
        else await replace(await targetOf(real, path, { folders, present }), bytes)
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

/** A place to write to: without links, with the mode of the file that is there. */
interface Target {
  path: string
  mode: number | undefined
}

/** Makes a path's folder. @returns where it leads */
async function folderOf(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    await mkdir(path, { recursive: true })
    return realpath(path)
  })
}

/**
 * Where a path leads.
 * @param root without links
 * @param known folders of paths before it, by name, and what they hold
 * @throws Problem for a link out of the root
 */
async function targetOf(
  root: string,
  path: string,
  { folders, present }: { folders: Map<string, Promise<string>>; present: ReadonlySet<string> },
): Promise<Target> {
  const given = join(root, path)
  const folder = dirname(given)
  const known = folders.get(folder) ?? folderOf(folder)
  folders.set(folder, known)
  let target = join(await known, basename(given))
  let mode = present.has(given) ? await modeOf(target, lstat) : undefined
  if (mode !== undefined && isLink(mode)) {
    target = await realpath(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      throw new Problem('It is a link that leads nowhere; remove it, or make what it leads to.')
    })
    mode = await modeOf(target, stat)
  }
  if (relative(root, target).startsWith(`..${sep}`)) {
    throw new Problem(`It leads out of this folder, to ${target}; write there from its own folder, or remove the link.`)
  }
  return { path: target, mode }
}

const modeOf = (path: string, look: typeof stat) =>
  look(path).then(
    ({ mode }) => mode,
    () => undefined,
  )

const isLink = (mode: number) => (mode & constants.S_IFMT) === constants.S_IFLNK

/** Names of temporary files differ between runs, whose processes in containers may all have one id, and in one by a number. */
const RUN = `${process.pid}-${randomBytes(4).toString('hex')}`
let made = 0
const TEMPORARY = /^\.(.+)\.(\d+)-([0-9a-f]{8})-\d+\.tmp$/

/** Removes what runs that were killed left beside these files. @returns the paths that there are in their folders */
async function clear(root: string, files: readonly FileContent[]): Promise<Set<string>> {
  const targets = new Set(files.map(({ path }) => join(root, path)))
  const present = new Set<string>()
  for (const folder of new Set(Array.from(targets, dirname))) {
    const names = await readdir(folder).catch(({ code }) =>
      code === 'ENOENT' ? [] : Array.from(targets, path => basename(path)),
    )
    for (const name of names) {
      present.add(join(folder, name))
      const [, target = '', id, run] = TEMPORARY.exec(name) ?? []
      if (id === undefined || !targets.has(join(folder, target)) || `${id}-${run}` === RUN) continue
      if (Number(id) === process.pid || !isAlive(Number(id))) await rm(join(folder, name), { force: true })
    }
  }
  return present
}

async function replace({ path, mode }: Target, bytes: Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${RUN}-${++made}.tmp`)
  try {
    const file = await open(temporary, 'wx', mode && mode & 0o7777)
    try {
      await file.writeFile(bytes)
      if (mode !== undefined) {
        // What a umask took from a mode that the file before has.
        await file.chmod(mode & 0o7777)
        // The file before may have what nobody else has; a new one has the server's texts alone.
        await file.sync()
      }
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
