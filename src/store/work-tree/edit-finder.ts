/** Finds people's edits in a work tree by watching some folders and scanning everything now and then. */
import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { classify } from '../../project/judge.ts'
import type { Background, BackgroundTask } from '../../scheduling/background.ts'
import type { Logger } from '../log.ts'
import { readBranch } from '../refs/read-refs.ts'
import type { Snapshot } from '../snapshot.ts'
import { FolderWatcher } from './folder-watcher.ts'
import type { LastWritten } from './last-written.ts'
import { lookAtFile, stampNow } from './plain-file.ts'
import { COARSE_MS, MarkerFile, type ScanMarker, scanWorkTree } from './scan.ts'

export interface EditFinderOptions {
  root: string
  gitDir: string
  log: Logger
  background: Background
  /** False: one look, at the start. */
  watch: boolean
  /** Seconds between two scans while watching; slow scans come more rarely. */
  scanSeconds?: number
  /** Two looks this many milliseconds apart must agree: editors truncate and write, or rename. */
  restMs?: number
  snapshot(): Snapshot
  /** Gets resting files that may differ from HEAD. When it throws, they come again later. */
  found(paths: string[]): Promise<void>
  /** Our own writing needs no look. Files with a problem rightly differ from HEAD: each scan looks at them again. */
  written: Pick<LastWritten, 'isOwn' | 'problems' | 'compared'>
}

const SCAN_SECONDS = 30
/** The largest share of time that scans use. */
const SCAN_SHARE = 1 / 20
/** Events within this time are looked at together. */
const GATHER_MS = 50
const REST_MS = 300
/** A file at rest waits for others of its project, at most this many times as long as it rests. */
const TOGETHER = 10
/** A watch starts a little late. Milliseconds until the folder is searched again. */
const LOOK_AGAIN_MS = 1000
/** Most files that wait, some 300 bytes each. Past that a scan must find them. */
const CHANGING_LIMIT = 4000
const BATCH = 64
/** Longest wait of a scan for its files to rest, in milliseconds. */
const PATIENCE_MS = 10_000

export class EditFinder {
  readonly #options: EditFinderOptions
  readonly #restMs: number
  readonly #background: Background
  readonly #watcher: FolderWatcher | undefined
  readonly #marker: MarkerFile
  /** Files that may differ from HEAD: their last stamp, and since when it stands. */
  readonly #changing = new Map<string, { stamp: string | undefined; since: number }>()
  /** Folders to search: when (`performance.now()`), and for files changed since when (clock). */
  readonly #folders = new Map<string, { at: number; since: number }>()
  readonly #judging: BackgroundTask
  readonly #searching: BackgroundTask
  readonly #scanning: BackgroundTask
  /** Whether the next look comes within {@link GATHER_MS}. */
  #isSoon = false
  /** When the last complete scan began; undefined: the next one must look into every file. */
  #scannedAt: number | undefined
  #since = 0
  #missed = false
  readonly #closing = new AbortController()

  constructor(options: EditFinderOptions) {
    const { root, log } = options
    setMaxListeners(0, this.#closing.signal)
    this.#options = options
    this.#restMs = options.restMs ?? REST_MS
    this.#background = options.background.group()
    this.#marker = new MarkerFile(join(options.gitDir, 'parlance', 'scanned'))
    this.#judging = this.#background.task({ name: 'committing external edits', run: () => this.#judge() })
    this.#searching = this.#background.task({ name: 'searching changed folders', run: () => this.#searchFolders() })
    this.#scanning = this.#background.task({ name: 'scanning the work tree', run: () => this.#scan() })
    this.#watcher = options.watch
      ? new FolderWatcher(root, path => this.#heard(path), { log, background: this.#background })
      : undefined
  }

  /** What an earlier process noted; undefined when this tree was never scanned. */
  marker(): Promise<ScanMarker | undefined> {
    return this.#marker.read()
  }

  /** Starts with a scan of files changed since the marker, or of all when its revision is another. */
  start(marker: ScanMarker | undefined): void {
    for (const path of marker?.problems ?? []) this.notice(path)
    this.#since = marker && marker.revision === this.#options.snapshot().revision ? marker.at : 0
    this.#background.once('the first scan', () => this.#scanning.now().catch(ignoreLogged))
  }

  /** Has a file judged once it is at rest. */
  notice(path: string): void {
    if (!this.#add(path)) this.#missed = true
  }

  /** Watches a busy folder in place of a quiet one. */
  attend(folder: string): void {
    if (this.#watcher?.follow(folder, true)) this.#lookIntoIn(folder, LOOK_AGAIN_MS, Date.now() - COARSE_MS)
  }

  /** Searches a folder that was created, removed or renamed, once for all events of a moment. */
  lookInto(folder: string): void {
    if (this.#closed || this.#folders.has(folder)) return
    // The name may belong to another folder by now.
    this.#watcher?.forget(folder)
    this.#lookIntoIn(folder, GATHER_MS)
  }

  /** Scans the whole tree now; resolves when what it found is judged. */
  async scan(): Promise<void> {
    await this.#scanning.now().catch(ignoreLogged)
    await this.#judging.now().catch(ignoreLogged)
    await this.quiet()
  }

  /** Resolves when all known edits are judged and no scan runs; does not wait for what fails. */
  async quiet(): Promise<void> {
    const busy = (task: BackgroundTask, waiting: number) => task.running || (waiting > 0 && task.problem === undefined)
    while (
      busy(this.#scanning, 0) ||
      busy(this.#searching, this.#folders.size) ||
      busy(this.#judging, this.#changing.size)
    ) {
      await pause(GATHER_MS / 5)
    }
  }

  /** Stops looking; resolves when the present work is judged and the marker is written. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#changing.clear()
    this.#folders.clear()
    await this.#watcher?.close()
    await this.#background.close()
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

  /** @returns false when too many files wait already */
  #add(path: string): boolean {
    if (this.#closed) return true
    if (!this.#changing.has(path)) {
      if (this.#changing.size >= CHANGING_LIMIT) return false
      this.#changing.set(path, { stamp: undefined, since: 0 })
    }
    if (!this.#isSoon) this.#judging.in(GATHER_MS)
    this.#isSoon = true
    return true
  }

  async #judge(): Promise<number | undefined> {
    this.#isSoon = false
    const resting: string[] = []
    const restless = new Set<string>()
    for (const path of [...this.#changing.keys()]) {
      if (await this.#isAtRest(path)) resting.push(path)
      else if (this.#changing.has(path)) restless.add(projectOf(path))
    }
    // Edits of one moment are judged together: a translation would be stale by the new source that came with it.
    const latest = performance.now() - this.#restMs * TOGETHER
    const isDue = (path: string) => !restless.has(projectOf(path)) || (this.#changing.get(path)?.since ?? 0) < latest
    const rested = resting.filter(isDue).map(path => [path, this.#changing.get(path)?.stamp] as const)
    // A look that comes late finds all of a removed folder at rest.
    rested.sort(([a, x], [b, y]) => Number(isGoneProject(a, x)) - Number(isGoneProject(b, y)))
    // After a failure one at a time, so that one bad file holds up no other.
    const size = this.#judging.problem ? 1 : BATCH
    const failures: unknown[] = []
    for (let at = 0; at < rested.length && !this.#closed; at += size) {
      const batch = rested.slice(at, at + size)
      // An event from now on is another change.
      for (const [path] of batch) this.#changing.delete(path)
      try {
        await this.#options.found(batch.map(([path]) => path))
      } catch (error) {
        failures.push(error)
        for (const [path, stamp] of batch) {
          if (!this.#closed && !this.#changing.has(path)) this.#changing.set(path, { stamp, since: 0 })
        }
      }
    }
    if (failures.length > 0) throw failures[0]
    return this.#changing.size > 0 ? this.#restMs : undefined
  }

  async #isAtRest(path: string): Promise<boolean> {
    // Under load nearly all events are our own writes. This look leaves the journal's thread pool alone.
    if (this.#options.written.isOwn(path, stampNow(this.#options.root, path))) {
      this.#changing.delete(path)
      return false
    }
    const found = await lookAtFile(this.#options.root, path)
    const changing = this.#changing.get(path)
    if (!changing) return false
    const stamp = found.state === 'missing' ? 'missing' : found.stamp
    if (stamp !== changing.stamp) {
      changing.stamp = stamp
      changing.since = performance.now()
      return false
    }
    return performance.now() - changing.since >= this.#restMs * (isGoneProject(path, stamp) ? 2 : 1)
  }

  #lookIntoIn(folder: string, milliseconds: number, changedSince = 0): void {
    if (this.#closed) return
    const since = Math.min(changedSince, this.#folders.get(folder)?.since ?? changedSince)
    this.#folders.set(folder, { at: performance.now() + milliseconds, since })
    this.#searching.in(this.#untilFolder())
  }

  #untilFolder(): number {
    return Math.min(...[...this.#folders.values()].map(({ at }) => at)) - performance.now()
  }

  async #searchFolders(): Promise<number | undefined> {
    const due = [...this.#folders].filter(([, { at }]) => at <= performance.now() + 1)
    for (const [folder, looking] of due) {
      if (this.#closed) return undefined
      // An event from now on is another change.
      this.#folders.delete(folder)
      try {
        // Neither HEAD nor the disk has a refused file that went with its folder.
        for (const { path } of this.#options.written.problems()) if (path.startsWith(`${folder}/`)) this.notice(path)
        const { fresh } = await this.#search(folder, looking.since)
        if (fresh) this.#lookIntoIn(folder, LOOK_AGAIN_MS)
      } catch (error) {
        this.#lookIntoIn(folder, 0, looking.since)
        throw error
      }
    }
    return this.#folders.size > 0 ? this.#untilFolder() : undefined
  }

  /** @returns the milliseconds until the next scan */
  async #scan(): Promise<number | undefined> {
    const at = await this.#marker.now()
    this.#missed = false
    for (const { path } of this.#options.written.problems()) this.notice(path)
    // After a clock was put back, new edits look old.
    const since = this.#since > at + COARSE_MS ? 0 : this.#since
    this.#since = 0
    const { cost, fresh } = await this.#search('', since)
    if (!(await this.#allJudged())) this.#missed = true
    if (this.#closed) return undefined
    this.#options.written.compared()
    this.#scannedAt = this.#missed ? undefined : at
    this.#since = this.#scannedAt ?? 0
    await this.#mark()
    if (!this.#options.watch) return undefined
    const rest = (this.#options.scanSeconds ?? SCAN_SECONDS) * 1000
    return fresh ? LOOK_AGAIN_MS : Math.max(rest, cost / SCAN_SHARE)
  }

  /** Waits until changing files are at rest and judged. @returns false when that fails or lasts too long */
  async #allJudged(): Promise<boolean> {
    const until = performance.now() + PATIENCE_MS
    while (this.#changing.size > 0 || this.#judging.running) {
      if (this.#closed || this.#judging.problem || performance.now() > until) return false
      await pause(GATHER_MS / 5)
    }
    return true
  }

  /** `cost` in milliseconds; `fresh`: whether it found folders that are watched only from now on. */
  async #search(within: string, since: number): Promise<{ cost: number; fresh: boolean }> {
    let fresh = false
    const cost = await scanWorkTree({
      root: this.#options.root,
      state: this.#options.snapshot(),
      since,
      within,
      stopped: () => this.#closed,
      suspect: async path => {
        if (!this.#add(path) && !((await this.#allJudged()) && this.#add(path))) this.#missed = true
      },
      visited: folder => {
        if (this.#watcher?.follow(folder, false)) fresh = true
      },
    })
    return { cost, fresh }
  }

  /** Notes on disk what the next start may skip. */
  async #mark(): Promise<void> {
    if (this.#scannedAt === undefined || this.#missed) return
    try {
      const revision = await readBranch(this.#options.gitDir)
      const problems = this.#options.written.problems().map(({ path }) => path)
      await this.#marker.write({ at: this.#scannedAt, revision, problems })
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the next start looks into every file of this work tree')
    }
  }
}

const projectOf = (path: string) => path.slice(0, path.indexOf('/'))

/** Judged last: a project's file may be the first to go when its whole folder is removed. */
const isGoneProject = (path: string, stamp: string | undefined) =>
  stamp === 'missing' && classify(path)?.kind === 'project'

/** For callers that wait for a task's end, not its success. The task has logged the error. */
const ignoreLogged = () => {}
