import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, hasRunOut, syncAt, syncFileSystem, syncFolder, writeFile } from '../disk.ts'
import { contentStamp, type FileReading, foldersAbove, isObstacle, readPlain, stampOf } from './plain-file.ts'

/** Whether a file was put in place, and its new stamp; `done: false`: something unknown stays there. */
export type Placement = { done: true; stamp: string } | { done: false }

/** Writes and removes files of a work tree through a temporary folder on the same file system. */
export class WorkTreeWriter {
  readonly #root: string
  readonly #temporary: string
  #names = 0
  #prepared: Promise<void> | undefined

  /** @param temporary a folder that is ours alone; {@link prepare} empties it */
  constructor(root: string, temporary: string) {
    this.#root = root
    this.#temporary = temporary
  }

  /** Creates the temporary folder; call it first. Later calls cost nothing. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#clean()
    return this.#prepared
  }

  /**
   * Puts a file of {@link stage} in place, unless what stands there is not `known`. Check, hard link and rename run
   * in one turn; a write into the old file after the check shows at the link and is put back. Only an editor's rename
   * in the microseconds between link and rename is lost.
   * @param known whether a blob id (null: no file) is a version of ours, so that it may go
   */
  put(path: string, fresh: string, known: (id: string | null) => boolean): Placement {
    const target = join(this.#root, path)
    try {
      // As late as possible: someone may be removing the folder just now.
      if (foldersAbove(this.#root, path) === 'missing') fs.mkdirSync(dirname(target), { recursive: true })
      // Folders above may have changed during the wait; from here on there is none.
      return foldersAbove(this.#root, path) === 'real' ? this.#exchange(target, fresh, known) : { done: false }
    } finally {
      removeNow(fresh)
    }
  }

  /**
   * Writes a temporary file for {@link put} or {@link discard}, synced now or by {@link syncStaged}. @returns its path
   */
  async stage(bytes: Buffer, synced = true): Promise<string> {
    const fresh = this.#name()
    try {
      await writeFile(fresh, bytes, synced)
      return fresh
    } catch (error) {
      // Someone removed the temporary folder: the next use creates it again.
      if (codeOf(error) === 'ENOENT') this.#prepared = undefined
      removeNow(fresh)
      // An obstacle in our own folder says nothing of the target.
      throw isObstacle(error)
        ? new Error(`no temporary file can be written: ${codeOf(error)}`, { cause: error })
        : error
    }
  }

  /** Syncs temporary files that {@link stage} did not sync. */
  async syncStaged(files: string[]): Promise<void> {
    if (files.length >= MANY && (await syncFileSystem(this.#temporary))) return
    for (const file of files) await syncAt(file, 'r+')
  }

  discard(fresh: string): void {
    removeNow(fresh)
  }

  #exchange(target: string, fresh: string, known: (id: string | null) => boolean): Placement {
    const written = fs.lstatSync(fresh)
    const before = present(target)
    if (before === undefined) {
      if (!known(null)) return { done: false }
      const linked = hardLink(fresh, target)
      if (linked === 'taken' || linked === 'gone') return { done: false }
      if (linked === 'unsupported') fs.renameSync(fresh, target)
      // Before the stamp, which a second name would be part of.
      else removeNow(fresh)
    } else {
      if (before.state !== 'content' || !known(before.id)) return { done: false }
      const kept = this.#name()
      const linked = hardLink(target, kept)
      if (linked === 'gone') return { done: false }
      try {
        if (!this.#swap(target, fresh, linked === 'linked' ? kept : undefined, before.stamp)) return { done: false }
      } finally {
        removeNow(kept)
      }
    }
    return { done: true, stamp: stampOfOwn(target, written) }
  }

  /** Renames the fresh file over the target while that is still the file of `stamp`. `kept` is its second name. */
  #swap(target: string, fresh: string, kept: string | undefined, stamp: string): boolean {
    const checked = fs.lstatSync(kept ?? target, { throwIfNoEntry: false })
    if (!checked || !stamp.startsWith(contentStamp(checked))) return false
    if (!moved(fresh, target)) return false
    if (kept === undefined) return true
    let same = false
    try {
      same = contentStamp(checked) === contentStamp(fs.lstatSync(kept))
    } finally {
      // What cannot be looked at may hold a person's words.
      if (!same) moved(kept, target)
    }
    return same
  }

  /** Removes a `known` file and the empty folders above it; anything else stays. */
  remove(path: string, known: (id: string | null) => boolean): Placement {
    if (foldersAbove(this.#root, path) === 'foreign') return { done: false }
    const target = join(this.#root, path)
    const before = present(target)
    if (before !== undefined) {
      if (before.state !== 'content' || !known(before.id)) return { done: false }
      const kept = this.#name()
      if (moved(target, kept)) {
        const taken = fs.lstatSync(kept)
        if (!before.stamp.startsWith(contentStamp(taken))) {
          moved(kept, target)
          return { done: false }
        }
        fs.unlinkSync(kept)
      }
    }
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      try {
        fs.rmdirSync(join(this.#root, folder))
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') break
      }
    }
    return { done: true, stamp: 'missing' }
  }

  async #clean(): Promise<void> {
    try {
      await fs.promises.rm(this.#temporary, { recursive: true, force: true })
      await fs.promises.mkdir(this.#temporary, { recursive: true })
    } catch (error) {
      // A full disk may have room at the next try.
      this.#prepared = undefined
      throw error
    }
  }

  #name(): string {
    return join(this.#temporary, `${++this.#names}`)
  }
}

/**
 * The stamp of what we put at a path; empty when someone has put something else there since. From the rename on nothing
 * may throw: the file would pass for a person's edit over later writes.
 */
function stampOfOwn(target: string, written: fs.Stats): string {
  try {
    const stats = fs.lstatSync(target)
    return contentStamp(stats) === contentStamp(written) ? stampOf(stats) : ''
  } catch {
    return ''
  }
}

/** Renames; false when someone has just removed the file or its new folder. */
function moved(from: string, to: string): boolean {
  try {
    fs.renameSync(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Removes a temporary file if it is there: a look costs less than an error. What stays goes at the next start. */
function removeNow(path: string): void {
  try {
    if (fs.lstatSync(path, { throwIfNoEntry: false })) fs.unlinkSync(path)
  } catch {
    // See above, and `stampOfOwn`.
  }
}

/** FAT and some network mounts know no hard links: only the last safeguard is missing there. */
function hardLink(from: string, to: string): 'linked' | 'taken' | 'gone' | 'unsupported' {
  try {
    fs.linkSync(from, to)
    return 'linked'
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return 'taken'
    if (code === 'ENOENT') return 'gone'
    if (code === 'ENOSPC' || code === 'EIO') throw error
    return 'unsupported'
  }
}

function present(target: string): FileReading | undefined {
  try {
    return readPlain(target)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    if (hasRunOut(error)) throw error
    return { state: 'foreign', error: `The file cannot be opened (${code}).`, stamp: '' }
  }
}

/** With this number of files or more, the whole file system is synced at once. */
const MANY = 48

/** Syncs the names in these folders; skips missing ones and files. */
export async function syncFolders(root: string, folders: ReadonlySet<string>): Promise<void> {
  if (folders.size >= MANY && (await syncFileSystem(root))) return
  for (const folder of folders) {
    try {
      await syncFolder(join(root, folder))
    } catch (error) {
      if (!isObstacle(error)) throw error
    }
  }
}
