/** The changes of one repository's refs, one at a time. */
import { Failure } from '../../bundle/errors.ts'
import { codeOf, diskFailure } from '../disk.ts'
import type { Logger } from '../log.ts'

/** See the top of the file. */
export class RefQueue {
  readonly #log: Logger
  /** Settles when the last change is through. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Runs a change after all that were asked for before. @throws Failure when the disk refuses, and as `change` does */
  run<T>(change: () => Promise<T>): Promise<T> {
    const run = this.#last.then(change)
    this.#last = run.catch(error => {
      if (!(error instanceof Failure)) this.#log.error({ err: error }, 'a tag could not be changed')
    })
    return run.catch(error => {
      throw codeOf(error) === undefined ? error : diskFailure(error)
    })
  }

  /** Resolves when all that were asked for are through, however they ended. */
  async through(): Promise<void> {
    await this.#last
  }
}
