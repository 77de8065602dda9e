/** The states of the main line since a commit, within limits, and the versions of bundles in them. */
import { type BundleName, bundlePath } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import type { TextVersion } from '../../project/sidecars/stood-unapproved.ts'
import { TaskFile, type UnreadTask } from '../../project/sidecars/task-file.ts'
import type { State } from '../../project/state.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { Snapshot } from '../../store/store.ts'

/** Commits that a change looks at: the organization's other writes wait meanwhile. */
const MOST_COMMITS = 1_000
/** Versions of one bundle that are compared. */
export const MOST_VERSIONS = 64
/** Commits read between two pauses. */
const STEP = 32

export class StatesSince {
  readonly #newest: Snapshot
  readonly #until: string | null
  #states: Snapshot[] | null | undefined

  /** @param until the commit where the states begin, which is none of them; null is before the first one */
  constructor(newest: Snapshot, until: string | null) {
    this.#newest = newest
    this.#until = until
  }

  /** The versions of a bundle with its source and marks, the newest first. Null where there are too many. */
  *versions(bundle: BundleName, sourceLanguage: string): Steps<UnreadTask<TextVersion>[] | null> {
    if (this.#states === undefined) {
      const { states, isWhole } = yield* statesSince(this.#newest, this.#until)
      this.#states = isWhole ? states : null
    }
    if (this.#states === null) return null
    const found = new Map<string, UnreadTask<TextVersion>>()
    for (const [at, state] of this.#states.entries()) {
      if (at % STEP === STEP - 1) yield
      const version = versionIn(state, bundle, sourceLanguage)
      if (version.target?.id !== null) found.set(JSON.stringify(version), version)
      if (found.size > MOST_VERSIONS) return null
    }
    return [...found.values()]
  }
}

const versionIn = (state: State, bundle: BundleName, sourceLanguage: string): UnreadTask<TextVersion> => ({
  source: TaskFile.at(bundlePath({ ...bundle, language: sourceLanguage }), state),
  target: TaskFile.at(bundlePath(bundle), state),
  marks: TaskFile.at(sidecarPath({ sidecar: 'marks', ...bundle }), state),
})

/** The newest states, back to a commit that is left out, or to the limit. @param until null for all */
export function* statesSince(newest: Snapshot, until: string | null): Steps<{ states: Snapshot[]; isWhole: boolean }> {
  const states: Snapshot[] = []
  for (let revision = newest.revision; revision !== until; ) {
    if (revision === null || states.length === MOST_COMMITS) return { states, isWhole: false }
    if (states.length % STEP === STEP - 1) yield
    const state = newest.at(revision)
    states.push(state)
    revision = state.commitOrigin()!.parent
  }
  return { states, isWhole: true }
}
