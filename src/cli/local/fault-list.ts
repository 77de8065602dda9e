/** A bounded list of the faults of an app's files. */
import { Problem } from '../problem.ts'

/** Maximum faults in the list; further ones are counted. */
const MAX_LISTED = 50

/** How a command goes on without a faulty key. */
export const LEAVE_OUT =
  '`ignore` in parlance.config.json leaves keys out by name; so does --leave-out of init, push and sync.'

/** Faults in order of discovery. Only the first of several at one place counts. */
export class FaultList {
  readonly #seen = new Set<string>()
  readonly #listed: { order: number; problem: Problem }[] = []
  readonly #files = new Map<string, number>()

  get count(): number {
    return this.#seen.size
  }

  /**
   * @param at the index in the file's text
   * @param make called only for a fault that is listed
   */
  add(path: string, at: number, make: () => Problem): void {
    this.#note(path, `at ${at}`, make)
  }

  addProblem(problem: Problem): void {
    const { file = '', line, column } = problem.where
    this.#note(file, `${line}:${column}`, () => problem)
  }

  /** Whether a file has any fault. */
  hasFile(path: string): boolean {
    return this.#files.has(path)
  }

  #note(path: string, place: string, make: () => Problem): void {
    const name = `${path}\n${place}`
    if (this.#seen.has(name)) return
    this.#seen.add(name)
    if (!this.#files.has(path)) this.#files.set(path, this.#files.size)
    if (this.#listed.length < MAX_LISTED) this.#listed.push({ order: this.#files.get(path)!, problem: make() })
  }

  /** One problem for all; undefined without any. A single fault is that problem itself. */
  problem(): Problem | undefined {
    const sorted = this.#listed.sort(
      (a, b) =>
        a.order - b.order ||
        (a.problem.where.line ?? 0) - (b.problem.where.line ?? 0) ||
        (a.problem.where.column ?? 0) - (b.problem.where.column ?? 0),
    )
    const problems = sorted.map(({ problem }) => problem)
    if (problems.length < 2) return problems[0]
    const more = this.count - problems.length
    const files = this.#files.size === 1 ? 'one file' : `${this.#files.size} files`
    const lines = [
      `${this.count} faults in ${files}:`,
      ...problems.map(({ sentence }) => `  ${sentence}`),
      ...(more > 0 ? [`  and ${more} more; correct these first.`] : []),
      ...(problems.some(({ where }) => where.key !== undefined) ? [LEAVE_OUT] : []),
    ]
    return new Problem(lines.join('\n'), {
      exit: problems.every(({ exit }) => exit === 2) ? 2 : 1,
      data: { faults: problems.map(({ document }) => document), count: this.count },
    })
  }
}

/** Runs a step; its problem goes to the list. @throws Problem without a list */
export function collected<T>(faults: FaultList | undefined, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (!faults || !(error instanceof Problem)) throw error
    faults.addProblem(error)
    return undefined
  }
}
