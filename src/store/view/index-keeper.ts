/** Keeps git's index equal to HEAD behind the work tree, so that `git status` says what it should: nothing. */
import fs from 'node:fs'
import { join } from 'node:path'
import type { Background, Task } from '../../background.ts'
import { Failure } from '../../bundle/errors.ts'
import { gitVersion, runIn } from '../git/git.ts'
import type { Logger } from '../log.ts'
import { readBranch } from '../refs/read-refs.ts'

/** Git takes longer for it than many a write does: the index waits until nothing was sealed for so long. */
const QUIET_MS = 500
/** When somebody's own git holds the index it is tried again after so long. */
const LOCKED_MS = 2000
/** For how long anybody waits for the index: nothing but `git status` depends on it. */
const PATIENCE_MS = 5000

/** An index of 100,000 files takes a few seconds. */
const LONGEST_MS = 60_000

/** Has git bring the index up to HEAD, one git at a time. */
export class IndexKeeper {
  readonly #gitDir: string
  readonly #workTree: string
  /** The file that says of which commit the index is. Not synced: at worst the index is brought up once more. */
  readonly #noted: string
  readonly #log: Logger
  readonly #task: Task
  #isBehind = false
  #told = false

  constructor(gitDir: string, workTree: string, log: Logger, background: Background) {
    this.#gitDir = gitDir
    this.#workTree = workTree
    this.#noted = join(gitDir, 'parlance', 'indexed')
    this.#log = log
    this.#task = background.task({ name: "bringing git's index up to HEAD", run: signal => this.#bringUp(signal) })
  }

  /** Has it brought up when an earlier process left it behind, as a kill does. */
  async check(): Promise<void> {
    const known = await fs.promises.readFile(this.#noted, 'utf8').catch(() => null)
    if (known !== (await readBranch(this.#gitDir))) this.note()
  }

  /** Notes that HEAD has moved; the index follows once it rests. */
  note(): void {
    this.#isBehind = true
    this.#task.in(QUIET_MS)
  }

  /** Brings the index up now. Never rejects: without git, or with a locked index, there is a later; and nobody waits long for a git that hangs. */
  async settle(): Promise<void> {
    if (!this.#isBehind && !this.#task.running) return
    const late = new AbortController()
    await Promise.race([this.#task.now().catch(() => {}), passed(PATIENCE_MS, late.signal)])
    late.abort()
  }

  /** Ends a git that hangs; resolves when none is at work any more. */
  close(): Promise<void> {
    return this.#task.close()
  }

  async #bringUp(signal: AbortSignal): Promise<number | undefined> {
    const commit = this.#isBehind ? await readBranch(this.#gitDir) : null
    if (commit === null) return undefined
    this.#isBehind = false
    if ((await gitVersion()) === undefined) {
      const message = 'there is no git here that can keep the index; `git status` in the work trees will not be clean'
      if (!this.#told) this.#log.warn({}, message)
      this.#told = true
      return undefined
    }
    try {
      if (await resetIndex(this.#gitDir, this.#workTree, signal)) {
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
 * Makes the index equal to HEAD, whatever it was, and notes the files' times in it, so that git need not read them to know that
 * they are unchanged. The work tree is not touched.
 * @returns whether it is; not when someone's own git holds it just now
 * @throws Failure `unsupported` when git refuses for another reason than a lock
 */
export async function resetIndex(gitDir: string, workTree: string, signal: AbortSignal): Promise<boolean> {
  for (const command of [
    ['read-tree', '--reset', 'HEAD'],
    ['update-index', '-q', '--refresh'],
  ]) {
    const late = AbortSignal.timeout(LONGEST_MS)
    const argv = [`--work-tree=${workTree}`, ...command]
    const options = { gently: true, signal: AbortSignal.any([signal, late]) }
    const { code, errors } = await runIn(gitDir, argv, options)
    if (late.aborted) throw new Failure('unavailable', `git ${command[0]} does not come to an end.`)
    signal.throwIfAborted()
    const refreshes = command.includes('--refresh')
    // It ends with 1 when a file differs from its entry, which is nobody's fault here; of a lock a quiet one says nothing.
    if (code === 0 || (code === 1 && refreshes)) continue
    if (errors.includes('index.lock') || (code === 128 && errors === '' && refreshes)) return false
    throw new Failure('unsupported', `git ${command[0]} failed: ${errors.trim().slice(0, 300)}`)
  }
  return true
}

/** Resolves when so much time is over, or at once when the signal is aborted. */
const passed = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>(resolve => {
    const end = AbortSignal.any([AbortSignal.timeout(milliseconds), signal])
    end.addEventListener('abort', () => resolve(), { once: true })
  })
