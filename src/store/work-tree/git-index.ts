/** Updates git's index to HEAD, so that `git status` is clean. */
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import type { Background, BackgroundTask } from '../../scheduling/background.ts'
import { createInside } from '../disk.ts'
import { endsWithin } from '../ends-within.ts'
import { gitVersion, runIn } from '../git/git.ts'
import type { Logger } from '../log.ts'
import { readBranch } from '../refs/read-refs.ts'

/** Milliseconds without a seal before the index follows: git needs longer for it than for many writes. */
const QUIET_MS = 500
/** Delay before the next try while another git holds the index. */
const LOCKED_MS = 2000
/** Longest wait for the index: only `git status` depends on it. */
const PATIENCE_MS = 5000

/** An index of 100,000 files needs a few seconds. */
const LONGEST_MS = 60_000

export class GitIndex {
  readonly #gitDir: string
  readonly #workTree: string
  /** The file with the index's commit. Not synced: at worst the index is updated again. */
  readonly #noted: string
  readonly #log: Logger
  readonly #task: BackgroundTask
  #isBehind = false
  #isReported = false

  constructor(gitDir: string, workTree: string, log: Logger, background: Background) {
    this.#gitDir = gitDir
    this.#workTree = workTree
    this.#noted = join(gitDir, 'parlance', 'indexed')
    this.#log = log
    this.#task = background.task({ name: "bringing git's index up to HEAD", run: signal => this.#bringUp(signal) })
  }

  /** Brings up an index that an earlier process left behind, as a kill does. */
  async check(): Promise<void> {
    const known = await fs.promises.readFile(this.#noted, 'utf8').catch(() => null)
    if (known !== (await readBranch(this.#gitDir))) this.note()
  }

  /** Notes that HEAD has moved; the index follows once it rests. */
  note(): void {
    this.#isBehind = true
    this.#task.in(QUIET_MS)
  }

  /** Brings the index up now. Never rejects: no git, a locked index or a hanging git only mean later. */
  async settle(): Promise<void> {
    if (!this.#isBehind && !this.#task.running) return
    await endsWithin(PATIENCE_MS, this.#task.now())
  }

  /** Ends a hanging git; resolves when none is at work. */
  close(): Promise<void> {
    return this.#task.close()
  }

  async #bringUp(signal: AbortSignal): Promise<number | undefined> {
    const commit = this.#isBehind ? await readBranch(this.#gitDir) : null
    if (commit === null) return undefined
    this.#isBehind = false
    if ((await gitVersion()) === undefined) {
      const message = 'no git here can update the index; `git status` in the work trees will not be clean'
      if (!this.#isReported) this.#log.warn({}, message)
      this.#isReported = true
      return undefined
    }
    try {
      if (await resetIndex(this.#gitDir, this.#workTree, signal)) {
        await createInside(dirname(this.#noted))
        await fs.promises.writeFile(this.#noted, commit)
        return undefined
      }
    } catch (error) {
      this.#isBehind = true
      throw error
    }
    this.#isBehind = true
    return LOCKED_MS
  }
}

/**
 * Updates the index to HEAD with the files' times, so that git need not read them. The work tree and the branch stay:
 * with a path `git reset` moves no ref.
 * @returns false when another git holds the index
 * @throws Failure `unsupported` when git refuses for another reason than a lock
 */
export async function resetIndex(gitDir: string, workTree: string, signal: AbortSignal): Promise<boolean> {
  const late = AbortSignal.timeout(LONGEST_MS)
  const argv = [`--work-tree=${workTree}`, 'reset', '--quiet', '--refresh', '--', ':/']
  const options = { gently: true, signal: AbortSignal.any([signal, late]) }
  const { code, errors } = await runIn(gitDir, argv, options)
  if (late.aborted) throw new Failure('unavailable', 'git reset does not end.')
  signal.throwIfAborted()
  if (code === 0) return true
  if (errors.includes('index.lock')) return false
  throw new Failure('unsupported', `git reset failed: ${errors.trim().slice(0, 300)}`)
}
