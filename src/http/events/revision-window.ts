/** The newest revisions of an organization, and the way back to older ones. */
import { revisionsBefore } from '../../store/revisions/commits.ts'
import type { LookAtPast } from '../../store/revisions/past.ts'
import { NO_REVISION } from '../../store/store.ts'

/** Maximum commits that a client may be behind. Past them it gets a `reset`. */
export const MOST_BEHIND = 10_000
/** Revisions that stay when no client asks for older ones. */
const RETAINED = 1_000
/** Milliseconds that older revisions stay after a search. */
const RETAINED_MS = 60_000

export class RevisionWindow {
  readonly #look: LookAtPast
  /** Oldest first; none before the first {@link push}. */
  #revisions: string[] = []
  #searched = 0
  #searching: Promise<unknown> = Promise.resolve()

  constructor(look: LookAtPast) {
    this.#look = look
  }

  get newest(): string {
    return this.#revisions.at(-1) ?? NO_REVISION
  }

  get isEmpty(): boolean {
    return this.#revisions.length === 0
  }

  has(revision: string): boolean {
    return this.#revisions.lastIndexOf(revision) >= 0
  }

  push(...revisions: string[]): void {
    this.#revisions.push(...revisions)
    const excess = this.#revisions.length - MOST_BEHIND - RETAINED
    if (excess > 0) this.#revisions.splice(0, excess)
  }

  /** The known revisions are no longer on the main line. */
  restart(head: string): void {
    this.#revisions = [head]
  }

  /** Drops old revisions without a recent search. */
  trim(): void {
    if (performance.now() - this.#searched >= RETAINED_MS) this.#revisions.splice(0, this.#revisions.length - RETAINED)
  }

  /** The revisions after one; undefined when it is unknown, see {@link find}. */
  after(revision: string): string[] | undefined {
    const at = this.#revisions.lastIndexOf(revision)
    return at < 0 ? undefined : this.#revisions.slice(at + 1)
  }

  /** Reads the history back to a revision, if it is among the last {@link MOST_BEHIND}. */
  async find(revision: string): Promise<void> {
    const search = this.#searching.then(() => this.#search(revision))
    this.#searching = search.catch(() => {})
    await search
  }

  /** Searches an older one. The passed revisions stay for a while, so that a client cannot repeat the walk. */
  async #search(wanted: string): Promise<void> {
    const oldest = this.#revisions[0]!
    const most = MOST_BEHIND - this.#revisions.length
    if (this.has(wanted) || most <= 0 || oldest === NO_REVISION) return
    this.#searched = performance.now()
    const isThere = await this.#look(
      history => wanted === NO_REVISION || history?.objects.find(wanted)?.type === 'commit',
    )
    if (!isThere) return
    const before = await revisionsBefore(this.#look, oldest, most, wanted)
    if (this.#revisions[0] !== oldest) return
    this.#revisions = [...before, ...this.#revisions]
  }
}
