/** What the work tree shows: for each path the version last put there, which a person's edit started from, and what is a person's now. */
import type { Problem } from '../../project/judge.ts'
import type { State } from '../../project/state.ts'

interface Version {
  id: string | null
  /** Of the file as we left it, so that hearing of our own write costs no reading. */
  stamp: string | null
}

/** A file that holds something of a person's. */
interface Held {
  /** The version it came from. */
  from: string | null
  /** Why HEAD cannot have it; undefined when that is not known or not so. */
  error?: string
}

/**
 * Kept as one state of the repository that the whole view equalled, and what was written since. That list is emptied whenever
 * the view has caught up with HEAD again ({@link advance}), so nothing per file stays in memory for a quiet organization, and
 * at worst some 200 bytes for each file that is being written.
 */
export class LastWritten {
  #base: State
  #since = new Map<string, Version>()
  /** What was written before the last {@link advance}: only its stamps count still. */
  #before = new Map<string, Version>()
  readonly #held = new Map<string, Held>()
  #recovered: { known: Map<string, Set<string>>; whole: boolean } | undefined

  constructor(base: State) {
    this.#base = base
  }

  /** The blob id that was last put at a path, null for no file. */
  id(path: string): string | null {
    const held = this.#held.get(path)
    if (held) return held.from
    const version = this.#since.get(path)
    return version ? version.id : (this.#base.entry(path)?.id ?? null)
  }

  /** Notes that a version stands there now. */
  set(path: string, id: string | null, stamp: string | null = null): void {
    this.#held.delete(path)
    this.#since.set(path, { id, stamp })
  }

  /** Notes that the file is a person's for now: whatever HEAD becomes, it started from what was written until here. */
  hold(path: string, from: string | null = this.id(path)): void {
    this.#held.set(path, { ...this.#held.get(path), from })
  }

  /** Whether the file holds something of a person's at present. */
  isHeld(path: string): boolean {
    return this.#held.has(path)
  }

  /** Notes why a file that is a person's breaks the rules, or that it does not. */
  judged(path: string, error: string | undefined): void {
    this.#held.set(path, { from: this.id(path), error })
  }

  /** Why a path breaks the rules, undefined when it does not. */
  problem(path: string): string | undefined {
    return this.#held.get(path)?.error
  }

  /** All files that break the rules. */
  problems(): Problem[] {
    return [...this.#held].flatMap(([path, { error }]) => (error === undefined ? [] : { path, error }))
  }

  /** Whether a stamp is that of our own last writing at this path. */
  isOwn(path: string, stamp: string): boolean {
    const version = this.#since.get(path) ?? this.#before.get(path)
    return version?.stamp === stamp && !this.#held.has(path)
  }

  /** Whether the last version that stood there lately, ours or adopted, is this one: when the file is missing, someone has removed it. */
  wasPut(path: string, id: string | null): boolean {
    return (this.#since.get(path) ?? this.#before.get(path))?.id === id
  }

  /** Notes that the whole view, held files apart, now equals `state`. */
  advance(state: State): void {
    this.#base = state
    this.#before = this.#since
    this.#since = new Map()
  }

  /**
   * Notes what an earlier process may have left of our own, until {@link compared}.
   * @param known blob ids of the versions of a path that the journals name
   * @param whole whether every file was written once, so that a missing one was removed by someone
   */
  recover(known: Map<string, Set<string>>, whole: boolean): void {
    this.#recovered = { known, whole }
  }

  /** Whether a version (null for no file) may have been left there by an earlier process. */
  isRecovered(path: string, id: string | null): boolean {
    if (!this.#recovered) return false
    const { known, whole } = this.#recovered
    return id === null ? !whole || known.has(path) : known.get(path)?.has(id) === true
  }

  /** Notes that every file has been compared with HEAD since {@link recover}. */
  compared(): void {
    this.#recovered = undefined
  }
}
