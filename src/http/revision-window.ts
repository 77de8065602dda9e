/** The newest revisions of an organization by positions that only grow, and the way back to older ones. */
import { revisionsBefore } from '../store/commits.ts'
import type { Look } from '../store/revisions.ts'
import { NO_REVISION } from '../store/store.ts'

/** Commits that a client may be behind; past them it is told to load anew. */
export const MOST_BEHIND = 10_000
/** Revisions kept when nobody has asked for older ones of late. */
const KEPT = 1_000
const OF_LATE_MS = 60_000

/** See the top of the file. Those from {@link first} on are known. */
export class RevisionWindow {
  readonly #look: Look
  /** Oldest first; none before the first {@link push}. */
  #revisions: string[] = []
  #first = 0
  /** Who reads on from a position, for which all behind it is kept. */
  #readers = 0
  #searched = 0
  #searching: Promise<unknown> = Promise.resolve()

  constructor(look: Look) {
    this.#look = look
  }

  get newest(): string {
    return this.#revisions.at(-1) ?? NO_REVISION
  }

  get isEmpty(): boolean {
    return this.#revisions.length === 0
  }

  /** The position of the oldest one. */
  get first(): number {
    return this.#first
  }

  /** The position behind the newest one. */
  get end(): number {
    return this.#first + this.#revisions.length
  }

  /** @param position from {@link first} to below {@link end} */
  at(position: number): string {
    return this.#revisions[position - this.#first]!
  }

  has(revision: string): boolean {
    return this.#revisions.includes(revision)
  }

  push(...revisions: string[]): void {
    this.#revisions.push(...revisions)
    const excess = this.#revisions.length - MOST_BEHIND - KEPT
    if (excess > 0) this.#drop(excess)
  }

  /** What was known is no longer the main line. Readers notice by {@link first}. */
  restart(head: string): void {
    this.#first = this.end
    this.#revisions = [head]
  }

  /** Lets go of what nobody asks for. */
  trim(): void {
    const spare = this.#revisions.length - KEPT
    if (spare > 0 && performance.now() - this.#searched >= OF_LATE_MS) this.#drop(spare)
  }

  /** Keeps all that is known until `read` is through. */
  async keeping<T>(read: () => Promise<T>): Promise<T> {
    this.#readers++
    try {
      return await read()
    } finally {
      this.#readers--
    }
  }

  /** The position behind a revision; undefined when the last {@link MOST_BEHIND} have no such one. */
  async positionAfter(revision: string): Promise<number | undefined> {
    if (!this.has(revision)) {
      const search = this.#searching.then(() => this.#search(revision))
      this.#searching = search.catch(() => {})
      await search
    }
    const at = this.#revisions.lastIndexOf(revision)
    return at < 0 ? undefined : this.#first + at + 1
  }

  /** Looks for an older one; what it passes stays known for a while, so that nobody can ask for the walk often. */
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
    this.#first -= before.length
  }

  #drop(count: number): void {
    if (this.#readers > 0) return
    this.#revisions.splice(0, count)
    this.#first += count
  }
}
