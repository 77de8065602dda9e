/** Git's index of one repository, kept by the system's git. */
import { Failure } from '../../bundle/errors.ts'
import { makeHome, QUIET, runGit } from './git.ts'

/** What became of a change of the index: `locked` when someone's own git holds it just now. */
export type IndexResult = 'done' | 'locked'

/** An index of 100,000 files takes a few seconds. */
const LONGEST_MS = 60_000

/** The index of one repository with a work tree. */
export class GitIndex {
  readonly #gitDir: string
  readonly #workTree: string
  readonly #signal: AbortSignal
  #home: string | undefined

  /** @param signal ends the git that is at it */
  constructor(gitDir: string, workTree: string, signal: AbortSignal) {
    this.#gitDir = gitDir
    this.#workTree = workTree
    this.#signal = signal
  }

  /**
   * Makes the index equal to HEAD, whatever it was; the work tree is not touched.
   * @throws Failure `unsupported` when git refuses for another reason than a lock
   */
  async reset(): Promise<IndexResult> {
    return (await this.#index(['read-tree', '--reset', 'HEAD'])) === 'done' ? this.refresh() : 'locked'
  }

  /**
   * Sets single entries.
   * @param entries path and blob id, null to remove
   */
  async update(entries: Iterable<[path: string, id: string | null]>): Promise<IndexResult> {
    let input = ''
    for (const [path, id] of entries) {
      input += id === null ? `0 ${'0'.repeat(40)}\t${path}\0` : `100644 ${id}\t${path}\0`
    }
    return (await this.#index(['update-index', '-z', '--index-info'], input)) === 'done' ? this.refresh() : 'locked'
  }

  /** Notes the files' times in the index, so that git need not read them to know that they are unchanged. */
  async refresh(): Promise<IndexResult> {
    return this.#index(['update-index', '-q', '--refresh'])
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
    if (errors.includes('index.lock')) return 'locked'
    throw new Failure('unsupported', `git ${command[0]} failed: ${errors.trim().slice(0, 300)}`)
  }
}
