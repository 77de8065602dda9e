/** Watches a bounded number of folders. */
import { type FSWatcher, watch } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { codeOf } from '../disk.ts'
import { type Logger, SILENT } from '../log.ts'
import { isObstacle } from './plain-file.ts'

/** Folders watched by the whole process: each takes one of the system's watches, and other programs need some. */
export const WATCHED_FOLDERS = 400
let watched = 0
/** Delay before asking again for watches once the system has run out. */
const AGAIN_MS = 60_000
const EXCHANGE_MS = 100

/** Watches folders: one call for each changed file. What it misses, a scan finds. */
export class Watcher {
  readonly #root: string
  readonly #log: Logger
  readonly #heard: (path: string) => void
  /** By absolute path, the least recently used first. */
  readonly #folders = new Map<string, FSWatcher>()
  #closed = false
  #nextExchange = 0
  /** No watching before this time (`performance.now()`). */
  #notBefore = 0

  /** @param heard gets the changed path relative to `root`, with `/` (`''`: the root) */
  constructor(root: string, heard: (path: string) => void, log = SILENT) {
    this.#root = root
    this.#log = log
    this.#heard = heard
  }

  /**
   * Watches a folder's own entries.
   * @param inUse true when something was just written or edited there: the least recently used folder gives way
   * @returns true when it is newly watched
   */
  follow(folder: string, inUse: boolean): boolean {
    const path = join(this.#root, folder)
    if (this.#closed || performance.now() < this.#notBefore) return false
    const known = this.#folders.get(path)
    if (known) {
      if (inUse) {
        this.#folders.delete(path)
        this.#folders.set(path, known)
      }
      return false
    }
    if (watched >= WATCHED_FOLDERS) {
      const [oldest] = this.#folders.keys()
      // Each new folder is looked into: those written once are not worth it.
      if (!inUse || oldest === undefined || performance.now() < this.#nextExchange) return false
      this.#nextExchange = performance.now() + EXCHANGE_MS
      this.forget(relative(this.#root, oldest))
    }
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => this.#tell(path, name))
      watcher.on('error', error => this.#failed(folder, error))
      this.#folders.set(path, watcher)
      watched++
      return true
    } catch (error) {
      this.#failed(folder, error)
      return false
    }
  }

  forget(folder: string): void {
    const path = join(this.#root, folder)
    const watcher = this.#folders.get(path)
    if (!this.#folders.delete(path)) return
    watched--
    watcher!.close()
  }

  close(): void {
    this.#closed = true
    this.#forgetAll()
  }

  #forgetAll(): void {
    for (const path of [...this.#folders.keys()]) this.forget(relative(this.#root, path))
  }

  #tell(folder: string, name: string | null): void {
    // A removed folder reports its own name within itself: what matters is that it is gone.
    const path = name === null || folder.endsWith(`${sep}${name}`) ? folder : join(folder, name)
    this.#heard(relative(this.#root, path).split(sep).join('/'))
  }

  #failed(folder: string, error: unknown): void {
    this.forget(folder)
    // One that is gone or forbidden must not stop watching the others.
    if (isObstacle(error)) return
    // The system is out of watches or descriptors: scans go on, watching resumes later.
    const code = codeOf(error) ?? String(error)
    this.#log.warn({ code }, 'folders cannot be watched now; outside edits are found by the periodic scan')
    this.#notBefore = performance.now() + AGAIN_MS
    this.#forgetAll()
  }
}
