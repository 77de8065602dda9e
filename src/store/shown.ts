/** What the work tree shows: for each path the version that was last put there, which is what a person's edit started from. */
import type { State } from './adopt.ts'

interface Version {
  id: string | null
  /** Of the file as we left it, so that hearing of our own write costs no reading. */
  stamp: string | null
}

/**
 * Kept as one state of the repository that the whole view equalled, and what was written since. That list is emptied whenever
 * the view has caught up with HEAD again ({@link advance}), so nothing per file stays in memory for a quiet organization, and
 * at worst some 200 bytes for each file that is being written.
 */
export class Shown {
  #base: State
  #since = new Map<string, Version>()
  /** What was written before the last {@link advance}: only its stamps count still. */
  #before = new Map<string, Version>()
  /** Files that hold something of a person's, with the version they came from. */
  readonly #held = new Map<string, string | null>()

  constructor(base: State) {
    this.#base = base
  }

  /** The blob id that was last put at a path, null for no file. */
  id(path: string): string | null {
    const held = this.#held.get(path)
    if (held !== undefined) return held
    const version = this.#since.get(path)
    return version ? version.id : (this.#base.entry(path)?.id ?? null)
  }

  /** Notes that a version stands there now. */
  set(path: string, id: string | null, stamp: string | null = null): void {
    this.#held.delete(path)
    this.#since.set(path, { id, stamp })
  }

  /** Notes that the file is a person's for now: whatever HEAD becomes, it started from what was shown until here. */
  hold(path: string, id: string | null = this.id(path)): void {
    this.#held.set(path, id)
  }

  isHeld(path: string): boolean {
    return this.#held.has(path)
  }

  /** Whether a stamp is that of our own last writing at this path. */
  isOwn(path: string, stamp: string): boolean {
    const version = this.#since.get(path) ?? this.#before.get(path)
    return version?.stamp === stamp && !this.#held.has(path)
  }

  /** Notes that the whole view, held files apart, now equals `state`. */
  advance(state: State): void {
    this.#base = state
    this.#before = this.#since
    this.#since = new Map()
  }
}
