/** Who may change a project, of those whose changes have to be computed before they are written. */
import { busy } from '../../bundle/errors.ts'

/** A project's changes that may wait for earlier ones. */
const MOST_WAITING = 1_000

/** Projects are told apart by a key of organization and slug. */
export class Turns {
  /** Settled after the last change of a project; and how many wait. */
  readonly #turns = new Map<string, { last: Promise<void>; waiting: number }>()
  /** Changes that were overtaken too often, which go first. */
  readonly #urgent = new Map<string, Promise<void>>()

  /** Resolves when nobody is {@link alone} with the project. */
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

  /** Lets no other change of the project begin meanwhile. Only for whoever has its turn. */
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
