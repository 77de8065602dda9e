/** The order of the large changes of a project. */
import { busy } from '../../bundle/errors.ts'

/** Maximum of a project's changes that wait for earlier ones. */
const MOST_WAITING = 1_000

/** A key of organization and slug names the project. */
export class Turns {
  /** A promise that settles after the last change of a project, and the number of waiting changes. */
  readonly #turns = new Map<string, { last: Promise<void>; waiting: number }>()
  /** Changes that were overtaken too often. They go first. */
  readonly #urgent = new Map<string, Promise<void>>()

  /** Resolves when no change is {@link alone} with the project. */
  async free(key: string): Promise<void> {
    if (this.#urgent.has(key)) await this.#urgent.get(key)
  }

  /** One by one: each depends on what the one before changes. @throws Failure `unavailable` where too many wait */
  async inTurn<T>(key: string, run: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(key) ?? { last: Promise.resolve(), waiting: 0 }
    if (turns.waiting >= MOST_WAITING) {
      throw busy('Too many large changes of this project are waiting; try again in a moment.')
    }
    this.#turns.set(key, turns)
    turns.waiting++
    const turn = turns.last.then(run)
    const done = () => {}
    turns.last = turn.then(done, done)
    try {
      return await turn
    } finally {
      turns.waiting--
      if (turns.waiting === 0) this.#turns.delete(key)
    }
  }

  /** Runs while no other change of the project can begin. Only for a change that has its turn. */
  async alone<T>(key: string, run: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#urgent.set(key, promise)
    try {
      return await run()
    } finally {
      this.#urgent.delete(key)
      resolve()
    }
  }
}
