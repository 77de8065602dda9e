/** What the work tree shows: the version last put at each path, and which files are a person's. */
import type { RefusedFile } from '../../project/judge.ts'
import type { State } from '../../project/state.ts'

interface Version {
  id: string | null
  /** The file's stamp as we left it: our own write then costs no reading. */
  stamp: string | null
}

interface Held {
  from: string | null
  /** Why HEAD cannot have it, if known. */
  error?: string
}

/**
 * A repository state that the view equalled, and what was written since, some 200 bytes a file. {@link advance} empties
 * that list: a quiet organization stores nothing per file.
 */
export class LastWritten {
  #base: State
  #since = new Map<string, Version>()
  /** Written before the last {@link advance}: only the stamps count still. */
  #before = new Map<string, Version>()
  readonly #held = new Map<string, Held>()
  #recovered: { known: Map<string, Set<string>>; whole: boolean } | undefined

  constructor(base: State) {
    this.#base = base
  }

  /** The blob id last put at a path; null for no file. */
  id(path: string): string | null {
    const held = this.#held.get(path)
    if (held) return held.from
    const version = this.#since.get(path)
    return version ? version.id : (this.#base.entry(path)?.id ?? null)
  }

  set(path: string, id: string | null, stamp: string | null = null): void {
    this.#held.delete(path)
    this.#since.set(path, { id, stamp })
  }

  /** Notes that a file is a person's for now, started from `from`. HEAD's changes do not matter. */
  hold(path: string, from: string | null = this.id(path)): void {
    this.#held.set(path, { ...this.#held.get(path), from })
  }

  isHeld(path: string): boolean {
    return this.#held.has(path)
  }

  /** Notes why a person's file breaks the rules; undefined when it does not. */
  judged(path: string, error: string | undefined): void {
    this.#held.set(path, { from: this.id(path), error })
  }

  problem(path: string): string | undefined {
    return this.#held.get(path)?.error
  }

  problems(): RefusedFile[] {
    return [...this.#held].flatMap(([path, { error }]) => (error === undefined ? [] : { path, error }))
  }

  isOwn(path: string, stamp: string): boolean {
    const version = this.#since.get(path) ?? this.#before.get(path)
    return version?.stamp === stamp && !this.#held.has(path)
  }

  /** Whether this version stood there last: a missing file was then removed by someone. */
  wasPut(path: string, id: string | null): boolean {
    return (this.#since.get(path) ?? this.#before.get(path))?.id === id
  }

  /** Notes that the whole view, except held files, equals `state`. */
  advance(state: State): void {
    this.#base = state
    this.#before = this.#since
    this.#since = new Map()
  }

  /**
   * Notes our own versions that an earlier process may have left, until {@link compared}.
   * @param known blob ids per path that the journals name
   * @param whole whether every file was written once, so that a missing one was removed by someone
   */
  recover(known: Map<string, Set<string>>, whole: boolean): void {
    this.#recovered = { known, whole }
  }

  /** Whether an earlier process may have left this version (null: no file). */
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
