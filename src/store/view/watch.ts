/** Hears about changes in a bounded number of folders at once; the only importer of chokidar. */
import { join, relative, sep } from 'node:path'
import { FSWatcher } from 'chokidar'
import { Background } from '../../background.ts'
import { codeOf } from '../disk.ts'
import { type Logger, SILENT } from '../log.ts'

/**
 * Folders watched in the whole process, whatever the number of organizations. Measured with chokidar 5: about 0.1 MB and one
 * inotify watch each (3,000 folders with 60,000 files: 2.8 s and 313 MB), so that watching everything is out of the question.
 */
export const WATCHED_FOLDERS = 400
let watched = 0
/** When the system has run out of watches, it is asked again after so long. */
const AGAIN_MS = 60_000
/** Between two folders that take the place of others. */
const EXCHANGE_MS = 100

/**
 * Chokidar lists a folder with a look at every file whenever something happens in it, again and again as long as it does: measured, half
 * the processor time of writes to a folder of 500 files. What happened, the raw event has said already.
 */
class FolderWatcher extends FSWatcher {
  override _readdirp(): undefined {}
}

/** Watches folders, not files: one change of a file in a watched folder is one call. What it misses, a scan finds. */
export class Watcher {
  readonly #root: string
  readonly #log: Logger
  readonly #background: Background
  readonly #heard: (path: string) => void
  /** Absolute paths, the least recently used first. */
  readonly #folders = new Set<string>()
  #chokidar: FolderWatcher | undefined
  #closed = false
  #nextExchange = 0
  /** Nothing is watched before this time, by `performance.now()`. */
  #notBefore = 0

  /**
   * @param root absolute path of the work tree
   * @param heard gets the path of what changed, relative to `root` with `/` (`''`: the root itself)
   */
  constructor(
    root: string,
    heard: (path: string) => void,
    { log = SILENT, background = new Background(log) }: { log?: Logger; background?: Background } = {},
  ) {
    this.#root = root
    this.#log = log
    this.#background = background
    this.#heard = heard
  }

  #open(): FolderWatcher {
    const chokidar = new FolderWatcher({
      ignoreInitial: true,
      followSymlinks: false,
      // A folder that nobody may enter is no reason to watch no other.
      ignorePermissionErrors: true,
      depth: 0,
      // Its own look at every file costs a watch and 9 KB each; the raw event of the folder names the file as well.
      ignored: path => !this.#folders.has(path),
    })
    chokidar.on('raw', (_event, name: string | null, details: unknown) => {
      const { watchedPath } = details as { watchedPath: string }
      // A removed folder reports its own name within itself: that it is gone is what matters.
      const path = name === null || watchedPath.endsWith(`${sep}${name}`) ? watchedPath : join(watchedPath, name)
      this.#heard(relative(this.#root, path).split(sep).join('/'))
    })
    chokidar.on('error', error => this.#giveUp(error))
    return chokidar
  }

  /**
   * Watches a folder's own entries, from a moment later on.
   * @param inUse true when something was written or edited there just now: then the least recently used folder gives way
   * @returns true when it was not watched before and is from now on
   */
  follow(folder: string, inUse: boolean): boolean {
    const path = join(this.#root, folder)
    if (this.#closed || performance.now() < this.#notBefore) return false
    if (this.#folders.has(path)) {
      if (inUse) {
        this.#folders.delete(path)
        this.#folders.add(path)
      }
      return false
    }
    if (watched >= WATCHED_FOLDERS) {
      const [oldest] = this.#folders
      // Each exchange costs chokidar more than many a write: a thousand folders that are written once are not worth it.
      if (!inUse || oldest === undefined || performance.now() < this.#nextExchange) return false
      this.#nextExchange = performance.now() + EXCHANGE_MS
      this.forget(relative(this.#root, oldest))
    }
    watched++
    this.#folders.add(path)
    this.#chokidar ??= this.#open()
    this.#chokidar.add(path)
    return true
  }

  /** Stops watching a folder. */
  forget(folder: string): void {
    const path = join(this.#root, folder)
    if (!this.#folders.delete(path)) return
    watched--
    this.#chokidar?.unwatch(path)
  }

  /** Stops watching; resolves when every handle is closed. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    const chokidar = this.#chokidar
    this.#chokidar = undefined
    watched -= this.#folders.size
    this.#folders.clear()
    await chokidar?.close()
  }

  /** The system has run out of watches or descriptors, say: scanning goes on without, and has folders watched again after a while. */
  #giveUp(error: unknown): void {
    if (!this.#chokidar) return
    const code = codeOf(error) ?? String(error)
    this.#log.warn({ code }, 'folders cannot be watched now; outside edits are found by the periodic scan')
    this.#notBefore = performance.now() + AGAIN_MS
    this.#background.once('closing the watcher', () => this.#end())
  }
}
