/** The versions of translations since a commit, within limits. */
import { type BundleName, bundlePath } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import type { TextVersion } from '../../project/sidecars/stood-unapproved.ts'
import { TaskFile, type UnreadTask } from '../../project/sidecars/task-file.ts'
import type { State } from '../../project/state.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { Snapshot } from '../../store/store.ts'
import { MainLine } from './main-line.ts'
import { renamedBundles } from './renamed-bundles.ts'

/** Versions of one bundle that are compared. */
export const MOST_VERSIONS = 64
/** Look-ups of bundles in states, in one change. */
const MOST_LOOKS = 20_000
/** Look-ups between two pauses. */
const STEP = 32

export class TextVersions {
  readonly #line: MainLine
  #looks = 0

  constructor(newest: Snapshot) {
    this.#line = new MainLine(newest)
  }

  /**
   * Those of a bundle after a commit, with its source and marks, under each name that it has had since. Null where
   * there are too many, or the commit is too old.
   * @param then the state at the commit
   */
  *since(
    { revision, state: then }: { revision: string | null; state: State },
    bundle: BundleName,
    sourceLanguage: string,
  ): Steps<UnreadTask<TextVersion>[] | null> {
    const states = yield* this.#line.since(revision)
    if (states === null) return null
    const found = new Map<string, UnreadTask<TextVersion>>()
    const names = new Map([[bundlePath(bundle), bundle]])
    let older = then
    for (const state of states.toReversed()) {
      if (state.entry(bundle.slug)?.id === older.entry(bundle.slug)?.id) continue
      for (const [path, name] of [...names]) {
        if (this.#looks++ % STEP === STEP - 1) yield
        const id = older.entry(path)?.id
        for (const other of id === undefined ? [] : renamedBundles(name, id, older, state))
          names.set(bundlePath(other), other)
      }
      for (const name of names.values()) {
        const version = versionIn(state, name, sourceLanguage)
        if (version.target?.id !== null) found.set(JSON.stringify(version), version)
      }
      if (found.size > MOST_VERSIONS || this.#looks > MOST_LOOKS) return null
      older = state
    }
    return [...found.values()]
  }
}

const versionIn = (state: State, bundle: BundleName, sourceLanguage: string): UnreadTask<TextVersion> => ({
  source: TaskFile.at(bundlePath({ ...bundle, language: sourceLanguage }), state),
  target: TaskFile.at(bundlePath(bundle), state),
  marks: TaskFile.at(sidecarPath({ sidecar: 'marks', ...bundle }), state),
})
