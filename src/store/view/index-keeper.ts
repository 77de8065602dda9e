/** Keeps git's index equal to HEAD behind the work tree, so that `git status` says what it should: nothing. */
import { gitVersion } from '../git/git.ts'
import { GitIndex } from '../git/git-index.ts'
import type { IndexChange } from '../git/index-file.ts'
import type { Logger } from '../log.ts'
import { sealedRevision } from './scan.ts'

const RETRY_MS = 2000
/** Bringing it up takes longer than many a write: the index waits until nothing was sealed for so long, */
const QUIET_MS = 300
/** but so long at the most, while more comes. */
const LATEST_MS = 3000
/** For how long anybody waits for the index: nothing but `git status` depends on it. */
const PATIENCE_MS = 5000
/** Past this many changed paths, reading the whole tree anew is no dearer. */
const CHANGES_LIMIT = 20_000

/** Collects what was written and brings it into the index, one git at a time. */
export class IndexKeeper {
  readonly #gitDir: string
  readonly #index: GitIndex
  readonly #log: Logger
  /** Entries to set; undefined when the index must be read from HEAD as a whole, as at the first time. */
  #changes: Map<string, IndexChange> | undefined
  #running: Promise<void> = Promise.resolve()
  /** Set while one waits for the one that runs: it will do for all who ask until then. */
  #next: Promise<void> | undefined
  readonly #stop = new AbortController()
  #retry: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  /** When the first of what waits for `#soon` was sealed, by `performance.now()`. */
  #since = 0
  #complained = false
  #closed = false

  constructor(gitDir: string, workTree: string, log: Logger) {
    this.#gitDir = gitDir
    this.#index = new GitIndex(gitDir, workTree, this.#stop.signal)
    this.#log = log
  }

  /** Notes what a seal has put into HEAD and the work tree. */
  note(changes: Iterable<[path: string, change: IndexChange]>): void {
    if (this.#changes === undefined) return
    for (const [path, change] of changes) this.#changes.set(path, change)
    if (this.#changes.size > CHANGES_LIMIT) this.#changes = undefined
  }

  /** Brings the index up to what was noted once nothing more is for a moment. */
  settleSoon(): void {
    if (this.#closed) return
    const now = performance.now()
    if (this.#soon === undefined) this.#since = now
    clearTimeout(this.#soon)
    this.#soon = setTimeout(
      () => void this.settle(),
      Math.max(0, Math.min(QUIET_MS, this.#since + LATEST_MS - now)),
    ).unref()
  }

  /**
   * Brings the index up to what was noted. Never rejects: without git, or with a locked index, there is a later; and nobody
   * waits longer than a few seconds for a git that hangs.
   */
  settle(): Promise<void> {
    clearTimeout(this.#soon)
    this.#soon = undefined
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      return this.#settle()
    })
    this.#running = this.#next
    return atMost(this.#next, PATIENCE_MS)
  }

  /** Resolves when no git is at work any more; one that hangs is ended. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#soon)
    await atMost(this.#running, PATIENCE_MS)
    this.#stop.abort()
    await this.#running
  }

  async #settle(): Promise<void> {
    if (this.#stop.signal.aborted) return
    const changes = this.#changes
    if (changes?.size === 0 || sealedRevision(this.#gitDir) === null) return
    if ((await gitVersion()) === undefined) {
      this.#complain(
        {},
        'there is no git here that can keep the index; `git status` in the work trees will not be clean',
      )
      return
    }
    this.#changes = new Map()
    try {
      const result = changes ? await this.#index.update(changes) : await this.#index.reset()
      if (result === 'locked') this.#again(changes)
    } catch (error) {
      this.#again(undefined)
      if (this.#stop.signal.aborted) return
      this.#complain({ err: error, gitDir: this.#gitDir }, "git's index could not be brought up to HEAD")
    }
  }

  /** Someone's own git is at work: his turn first. What was noted meanwhile is newer. */
  #again(changes: Map<string, IndexChange> | undefined): void {
    this.#changes = changes && this.#changes && new Map([...changes, ...this.#changes])
    clearTimeout(this.#retry)
    if (!this.#closed) this.#retry = setTimeout(() => void this.settle(), RETRY_MS).unref()
  }

  #complain(data: object, message: string): void {
    if (!this.#complained) this.#log.warn(data, message)
    this.#complained = true
  }
}

/** Resolves with the work, or when that takes too long. */
async function atMost(work: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
