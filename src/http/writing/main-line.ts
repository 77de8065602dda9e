/** The newest states of the main line, as far as a change may look back. */
import type { Steps } from '../../scheduling/steps.ts'
import type { Snapshot } from '../../store/store.ts'

/** Commits that a change looks at: the organization's other writes wait meanwhile. */
const MOST_COMMITS = 1_000
/** Commits read between two pauses. */
const STEP = 32

export class MainLine {
  readonly #newest: Snapshot
  readonly #states: Snapshot[] = []
  readonly #places = new Map<string, number>()
  #next: string | null

  constructor(newest: Snapshot) {
    this.#newest = newest
    this.#next = newest.revision
  }

  /** The states after a commit, the newest first. Null where the commit is not found within the limit. */
  *since(revision: string | null): Steps<readonly Snapshot[] | null> {
    for (;;) {
      const place = revision === null ? undefined : this.#places.get(revision)
      if (place !== undefined) return this.#states.slice(0, place)
      if (this.#next === null) return revision === null ? this.#states : null
      if (this.#states.length === MOST_COMMITS) return null
      if (this.#states.length % STEP === STEP - 1) yield
      const state = this.#newest.at(this.#next)
      this.#places.set(this.#next, this.#states.push(state) - 1)
      this.#next = state.commitOrigin()!.parent
    }
  }

  /** All states within the limit, the newest first, and whether that is the whole line. */
  *latest(): Steps<{ states: readonly Snapshot[]; isWhole: boolean }> {
    const all = yield* this.since(null)
    return { states: this.#states, isWhole: all !== null }
  }
}
