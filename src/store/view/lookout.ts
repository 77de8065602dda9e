/** Finds what people change in a work tree: hears of it where folders are watched, and goes through everything now and then. */
import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import type { Snapshot } from '../snapshot.ts'
import { classify } from './judge.ts'
import { COARSE_MS, type Marker, MarkerFile, sealedRevision, search } from './scan.ts'
import { Stillness } from './stillness.ts'
import { Watcher } from './watch.ts'

/** What a {@link Lookout} looks after, and whom it tells. */
export interface LookoutOptions {
  root: string
  gitDir: string
  log: Logger
  /** False: look once, at the start. */
  watch: boolean
  /** Between two scans, when {@link LookoutOptions.watch} is set; a scan that takes long is made more rarely. */
  scanSeconds?: number
  snapshot(): Snapshot
  /** Gets files that differ from HEAD or may, once they have stopped changing. Must not throw. */
  still(paths: string[]): Promise<void>
  /** See {@link Stillness}. */
  own(path: string, stamp: string): boolean
  /** Files to look at again in every scan, because they differ from HEAD for good reason. */
  differing(): Iterable<string>
  /** Called when the whole tree has been gone through. */
  compared(): void
}

const SCAN_SECONDS = 30
/** A scan may take up to this share of the time. */
const SCAN_SHARE = 1 / 20
const GATHER_MS = 50
/** Watching a folder takes effect a moment after it was asked for; what happened until then is found by looking again. */
const LOOK_AGAIN_MS = 1000

/** The eyes and ears of a view; what to make of a file is not its business. */
export class Lookout {
  readonly #options: LookoutOptions
  readonly #stillness: Stillness
  readonly #watcher: Watcher | undefined
  readonly #marker: MarkerFile
  readonly #looking = new Map<string, Promise<void>>()
  #scanning: Promise<void> | undefined
  /** When the last complete scan began, undefined when the next one must look into every file. */
  #scannedAt: number | undefined
  #missed = false
  #timer: NodeJS.Timeout | undefined
  readonly #closing = new AbortController()

  constructor(options: LookoutOptions) {
    const { root, log } = options
    // A checkout makes dozens of folders at once, and each of them waits with an ear on it.
    setMaxListeners(0, this.#closing.signal)
    this.#options = options
    this.#marker = new MarkerFile(join(options.gitDir, 'parlance', 'scanned'))
    this.#stillness = new Stillness(root, options.still, options.own)
    this.#watcher = options.watch ? new Watcher(root, path => this.#heard(path), log) : undefined
  }

  /** What an earlier process noted; undefined when this tree was never gone through. */
  marker(): Promise<Marker | undefined> {
    return this.#marker.read()
  }

  /** Begins with a scan in the background; it looks into files changed since the marker, if that was made at this revision. */
  start(marker: Marker | undefined): void {
    for (const path of marker?.problems ?? []) this.notice(path)
    this.#scan(marker && marker.revision === this.#options.snapshot().revision ? marker.at : 0)
  }

  /** Has a file judged once it is still. */
  notice(path: string): void {
    if (!this.#stillness.add(path)) this.#missed = true
  }

  /** Notes that something could not be followed up, so that the next scan looks into every file. */
  miss(): void {
    this.#missed = true
  }

  /** Watches a folder in which something happens, in place of one where nothing does. */
  attend(folder: string): void {
    this.#watcher?.follow(folder, true)
  }

  /** Searches a folder that was made, removed or renamed, once for all that is heard of it within a moment. */
  lookInto(folder: string): void {
    if (this.#closed || this.#looking.has(folder)) return
    // It may be another folder of the same name by now.
    this.#watcher?.forget(folder)
    this.#looking.set(folder, this.#lookInto(folder, GATHER_MS))
  }

  /** Goes through the whole tree now; resolves when what it found has been judged. */
  async scan(): Promise<void> {
    await this.#scanning
    this.#scan(this.#scannedAt ?? 0)
    await this.quiet()
  }

  /** Resolves when nothing is known that has not been judged, and no scan is under way. */
  async quiet(): Promise<void> {
    while (this.#scanning || this.#looking.size > 0 || this.#stillness.busy) {
      await Promise.all([this.#scanning, ...this.#looking.values(), this.#stillness.empty()])
    }
  }

  /** Looks no more; resolves when what was in hand is judged, and what need not be looked into again is noted. */
  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#timer)
    await this.#watcher?.close()
    await this.#stillness.close()
    await Promise.all([this.#scanning, ...this.#looking.values()])
    await this.#mark()
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted
  }

  #heard(path: string): void {
    const names = path.split('/')
    if (path === '' || names.some(name => name.startsWith('.'))) return
    if (classify(path)) this.notice(path)
    else if (names.length <= 3) this.lookInto(path)
  }

  async #lookInto(folder: string, delay: number): Promise<void> {
    try {
      await pause(delay, undefined, { signal: this.#closing.signal }).finally(() => this.#looking.delete(folder))
      const { fresh } = await this.#search(folder, 0)
      if (fresh && !this.#looking.has(folder)) this.#looking.set(folder, this.#lookInto(folder, LOOK_AGAIN_MS))
    } catch (error) {
      this.#missed = true
      if (this.#closed) return
      this.#options.log.warn({ err: error, folder }, 'a folder could not be looked into')
    }
  }

  #scan(since: number): void {
    if (this.#closed) return
    clearTimeout(this.#timer)
    this.#scanning = this.#scanAll(since)
  }

  async #scanAll(since: number): Promise<void> {
    let rest = (this.#options.scanSeconds ?? SCAN_SECONDS) * 1000
    try {
      const at = await this.#marker.now()
      this.#missed = false
      for (const path of this.#options.differing()) this.notice(path)
      // A clock that was put back makes what was edited since look old.
      const { cost, fresh } = await this.#search('', since > at + COARSE_MS ? 0 : since)
      rest = fresh ? LOOK_AGAIN_MS : Math.max(rest, cost / SCAN_SHARE)
      await this.#stillness.empty()
      if (!this.#closed) {
        this.#options.compared()
        this.#scannedAt = this.#missed ? undefined : at
        await this.#mark()
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the work tree could not be scanned')
    }
    this.#scanning = undefined
    if (this.#closed || !this.#options.watch) return
    this.#timer = setTimeout(() => this.#scan(this.#scannedAt ?? 0), rest).unref()
  }

  /** `cost` in milliseconds; `fresh`: whether folders were found that were not watched until now and are from now on. */
  async #search(within: string, since: number): Promise<{ cost: number; fresh: boolean }> {
    let fresh = false
    const cost = await search({
      root: this.#options.root,
      state: this.#options.snapshot(),
      since,
      within,
      stopped: () => this.#closed,
      suspect: async path => {
        while (!this.#closed && !this.#stillness.add(path)) await this.#stillness.empty()
      },
      visited: folder => {
        if (this.#watcher?.follow(folder, false)) fresh = true
      },
    })
    return { cost, fresh }
  }

  /** Notes on disk what a next start need not look into. */
  async #mark(): Promise<void> {
    if (this.#scannedAt === undefined || this.#missed) return
    const revision = sealedRevision(this.#options.gitDir)
    try {
      await this.#marker.write({ at: this.#scannedAt, revision, problems: [...this.#options.differing()] })
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the next start looks into every file of this work tree')
    }
  }
}
