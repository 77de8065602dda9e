/** Git's index of one repository: small changes are made here, everything else by the system's git. */
import fs from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { codeOf, removeFile, writeFile } from '../disk.ts'
import { makeHome, QUIET, runGit } from './git.ts'
import { changeIndex, fileStat, type IndexChange } from './index-file.ts'

/** What became of a change of the index: `locked` when someone's own git holds it just now. */
export type IndexResult = 'done' | 'locked'

/** An index of 100,000 files takes a few seconds. */
const LONGEST_MS = 60_000
/** Up to so many bytes, some 10,000 files, changing it here takes a fraction of what starting git does; other requests wait for it. */
const SMALL = 1024 * 1024

/** The index of one repository with a work tree. */
export class GitIndex {
  readonly #gitDir: string
  readonly #workTree: string
  readonly #signal: AbortSignal
  readonly #path: string
  /** The lock by which every git knows that somebody changes the index. */
  readonly #lock: string
  readonly #fresh: string
  #home: string | undefined

  /** @param signal ends the git that is at it */
  constructor(gitDir: string, workTree: string, signal: AbortSignal) {
    this.#gitDir = gitDir
    this.#workTree = workTree
    this.#signal = signal
    this.#path = join(gitDir, 'index')
    this.#lock = `${this.#path}.lock`
    this.#fresh = join(gitDir, 'parlance', 'index.tmp')
  }

  /**
   * Makes the index equal to HEAD, whatever it was; the work tree is not touched.
   * @throws Failure `unsupported` when git refuses for another reason than a lock
   */
  async reset(): Promise<IndexResult> {
    await this.#clean()
    return (await this.#index(['read-tree', '--reset', 'HEAD'])) === 'done' ? this.refresh() : 'locked'
  }

  /**
   * Sets single entries.
   * @param changes by path
   * @throws Error when the disk refuses; Failure as {@link reset}
   */
  async update(changes: ReadonlyMap<string, IndexChange>): Promise<IndexResult> {
    const changed = await this.#change(changes)
    const isKnown = (change: IndexChange) => change === null || change.stat !== undefined
    if (changed === 'locked' || (changed === 'done' && [...changes.values()].every(isKnown))) return changed
    const result = changed ?? (await this.#index(['update-index', '-z', '--index-info'], listed(changes)))
    return result === 'done' ? this.refresh() : 'locked'
  }

  /** Notes the files' times in the index, so that git need not read them to know that they are unchanged. */
  async refresh(): Promise<IndexResult> {
    return this.#index(['update-index', '-q', '--refresh'])
  }

  /** Starting git twice takes longer than many a write, and its fork stops this process for milliseconds. Undefined: git is to do it. */
  async #change(changes: ReadonlyMap<string, IndexChange>): Promise<IndexResult | undefined> {
    const before = fs.lstatSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (!before?.isFile() || before.size > SMALL) return undefined
    const place = {
      written: Number(before.mtimeNs / 1_000_000_000n),
      stat: (path: string) => fileStat(join(this.#workTree, path)),
    }
    const changed = changeIndex(await fs.promises.readFile(this.#path), changes, place)
    if (changed === undefined) return undefined
    this.#home ??= await makeHome(this.#gitDir)
    await removeFile(this.#fresh)
    try {
      await writeFile(this.#fresh, changed)
      this.#signal.throwIfAborted()
      return this.#exchange(before)
    } finally {
      await removeFile(this.#fresh)
    }
  }

  /**
   * Puts the fresh index in place of the one that it was made from, by git's own rule: who makes the lock may rename it over the index.
   * All in one turn: a kill in the midst of it leaves a lock that {@link #clean} knows by the fresh index, of which it is a second name.
   */
  #exchange(before: fs.BigIntStats): IndexResult | undefined {
    fs.chmodSync(this.#fresh, Number(before.mode) & 0o777)
    try {
      fs.linkSync(this.#fresh, this.#lock)
    } catch (error) {
      // A file system without links: git can do without.
      return codeOf(error) === 'EEXIST' ? 'locked' : undefined
    }
    const now = fs.lstatSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (now?.ino !== before.ino || now.ctimeNs !== before.ctimeNs || now.size !== before.size) {
      fs.unlinkSync(this.#lock)
      return undefined
    }
    fs.renameSync(this.#lock, this.#path)
    return 'done'
  }

  /** Removes what a kill in the midst of {@link #exchange} has left. */
  async #clean(): Promise<void> {
    const [fresh, lock] = [this.#fresh, this.#lock].map(path => fs.lstatSync(path, { throwIfNoEntry: false }))
    if (fresh && lock?.ino === fresh.ino) await removeFile(this.#lock)
    if (fresh) await removeFile(this.#fresh)
  }

  async #index(command: string[], input = ''): Promise<IndexResult> {
    this.#home ??= await makeHome(this.#gitDir)
    const late = AbortSignal.timeout(LONGEST_MS)
    const signal = this.#signal
    const { code, errors } = await runGit(
      [...QUIET, `--git-dir=${this.#gitDir}`, `--work-tree=${this.#workTree}`, ...command],
      { cwd: this.#workTree, home: this.#home, input, gently: true, signal: AbortSignal.any([signal, late]) },
    )
    if (late.aborted) throw new Failure('unavailable', `git ${command[0]} does not come to an end.`)
    signal.throwIfAborted()
    // update-index --refresh ends with 1 when a file differs from its entry, which is nobody's fault here.
    if (code === 0 || (code === 1 && command.includes('--refresh'))) return 'done'
    // A quiet --refresh does not even say that.
    if (errors.includes('index.lock') || (code === 128 && errors === '' && command.includes('--refresh')))
      return 'locked'
    throw new Failure('unsupported', `git ${command[0]} failed: ${errors.trim().slice(0, 300)}`)
  }
}

/** As `update-index -z --index-info` reads it. */
function listed(changes: ReadonlyMap<string, IndexChange>): string {
  let text = ''
  for (const [path, change] of changes) {
    text += change === null ? `0 ${'0'.repeat(40)}\t${path}\0` : `100644 ${change.id}\t${path}\0`
  }
  return text
}
