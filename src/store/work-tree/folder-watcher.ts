/** Watches a bounded number of folders; the only importer of chokidar. */
import { join, relative, sep } from 'node:path'
import { FSWatcher } from 'chokidar'
import type { Background } from '../../scheduling/background.ts'
import { codeOf } from '../disk.ts'
import type { Logger } from '../log.ts'

/**
 * Folders watched by the whole process. Measured with chokidar 5: about 0.1 MB and one inotify watch each (3,000
 * folders with 60,000 files: 2.8 s and 313 MB), too much to watch everything.
 */
export const WATCHED_FOLDERS = 400
let watched = 0
/** Delay before asking again for watches once the system has run out. */
const AGAIN_MS = 60_000
const EXCHANGE_MS = 100
/**
 * Events of one folder in a second, each some 40 µs of work. Past it the folder is looked through instead, in slices.
 */
const MOST_EVENTS = 500

/**
 * Skips chokidar's look at every file on each event, for which it has no public option. The raw event already names the
 * file. Measured with 850 writes in 4 s to folders of 500 files: 0.09 s of processor time, and 1.7 s with the looks.
 * With 20 such folders the longest turn of the event loop was 70 ms, and 400 ms with the looks.
 */
class RawEventWatcher extends FSWatcher {
  override _readdirp(): undefined {}
}

/** Watches folders: one call for each changed file. What it misses, a scan finds. */
export class FolderWatcher {
  readonly #root: string
  readonly #log: Logger
  readonly #background: Background
  readonly #heard: (path: string) => void
  /** Absolute paths, the least recently used first. */
  readonly #folders = new Set<string>()
  #chokidar: RawEventWatcher | undefined
  #closed = false
  #nextExchange = 0
  /** Events of a watched folder in the second that began at `from`. */
  readonly #events = new Map<string, { from: number; count: number }>()
  /** No watching before this time (`performance.now()`). */
  #notBefore = 0

  /** @param heard gets the changed path relative to `root`, with `/` (`''`: the root) */
  constructor(
    root: string,
    heard: (path: string) => void,
    { log, background }: { log: Logger; background: Background },
  ) {
    this.#root = root
    this.#log = log
    this.#background = background
    this.#heard = heard
  }

  #open(): RawEventWatcher {
    const chokidar = new RawEventWatcher({
      ignoreInitial: true,
      followSymlinks: false,
      // One forbidden folder must not stop watching the others.
      ignorePermissionErrors: true,
      depth: 0,
      // Chokidar's look at each file costs a watch and 9 KB; the folder's raw event names the file too.
      ignored: path => !this.#folders.has(path),
    })
    chokidar.on('raw', (_event, name: string | null, details: unknown) => {
      const { watchedPath } = details as { watchedPath: string }
      if (this.#isFlooded(watchedPath)) {
        const folder = relative(this.#root, watchedPath).split(sep).join('/')
        this.forget(folder)
        return this.#heard(folder)
      }
      // A removed folder reports its own name within itself: what matters is that it is gone.
      const path = name === null || watchedPath.endsWith(`${sep}${name}`) ? watchedPath : join(watchedPath, name)
      this.#heard(relative(this.#root, path).split(sep).join('/'))
    })
    chokidar.on('error', error => this.#giveUp(error))
    return chokidar
  }

  /**
   * Watches a folder's own entries, from a moment later on.
   * @param inUse true when something was just written or edited there: the least recently used folder gives way
   * @returns true when it is newly watched
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
      // An exchange costs chokidar more than many a write: folders written once are not worth it.
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

  #isFlooded(path: string): boolean {
    const now = performance.now()
    const events = this.#events.get(path)
    if (events === undefined || now - events.from > 1000) this.#events.set(path, { from: now, count: 1 })
    else if (++events.count > MOST_EVENTS) return true
    return false
  }

  forget(folder: string): void {
    const path = join(this.#root, folder)
    this.#events.delete(path)
    if (!this.#folders.delete(path)) return
    watched--
    this.#chokidar?.unwatch(path)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    const chokidar = this.#chokidar
    this.#chokidar = undefined
    watched -= this.#folders.size
    this.#folders.clear()
    this.#events.clear()
    await chokidar?.close()
  }

  /** The system is out of watches or descriptors: scans go on, watching resumes later. */
  #giveUp(error: unknown): void {
    if (!this.#chokidar) return
    const code = codeOf(error) ?? String(error)
    this.#log.warn({ code }, 'folders cannot be watched now; external edits are found by the periodic scan')
    this.#notBefore = performance.now() + AGAIN_MS
    this.#background.once('closing the watcher', () => this.#end())
  }
}
