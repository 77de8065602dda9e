/** What a change of many bundles comes to: the files to put and remove, and the keys that change. */
import type { BundleChange, ChangeCounts } from '../bundle/diff.ts'
import { asBuffer } from '../bundle/made-file.ts'
import { refuseTwinsAmong } from './case-twins.ts'
import { type BundleName, type Project, projectPath } from './project.ts'
import type { State } from './state.ts'
import type { FileOutcome } from './versions.ts'

/** What to do, and what that changes. */
export interface Plan {
  /** Files to write; null removes one. */
  files: { path: string; bytes: Buffer | null }[]
  counts: ChangeCounts
  /** The first by language, namespace and key, if asked for. */
  changes: BundleChange[]
  /** The languages that change. */
  languages: string[]
}

/** A bundle that may change, and its present blob id, null where there is none. */
export interface Planned extends BundleName {
  path: string
  before: string | null
}

/** Most rows told, and characters after which no more are. */
export const MOST_TOLD = { rows: 1_000, characters: 4 * 2 ** 20 }

/** Keeps the first rows of {@link MOST_TOLD}. */
export class Told<T> {
  readonly rows: T[] = []
  #characters = MOST_TOLD.characters

  /** @returns whether the row is told */
  add(row: T): boolean {
    if (this.rows.length >= MOST_TOLD.rows || this.#characters <= 0) return false
    this.rows.push(row)
    this.#characters -= JSON.stringify(row).length
    return true
  }
}

/**
 * In steps: there may be thousands of bundles.
 * @param project as it will be
 * @param file its own file, if that changes
 * @param outcomes of the bundles, in their order
 * @throws Failure `conflict` when a name would differ only in case from an existing one
 */
export function* planOf(
  now: State,
  project: Project,
  file: Buffer | undefined,
  bundles: readonly Planned[],
  outcomes: readonly FileOutcome[],
): Generator<undefined, Plan, undefined> {
  const files: Plan['files'] = file ? [{ path: projectPath(project.slug), bytes: file }] : []
  const counts = { added: 0, updated: 0, removed: 0 }
  const told = new Told<BundleChange>()
  const languages = new Set<string>()
  const created: Planned[] = []
  for (const [at, { bytes, counts: own, changes }] of outcomes.entries()) {
    if (bytes === undefined) continue
    const { path, language, namespace, before } = bundles[at]!
    files.push({ path, bytes: bytes && asBuffer(bytes) })
    languages.add(language)
    if (bytes !== null && before === null) created.push(bundles[at]!)
    for (const name of ['added', 'updated', 'removed'] as const) counts[name] += own[name]
    for (const change of changes) if (!told.add({ language, namespace, ...change })) break
  }
  const gone = files.filter(({ bytes }) => bytes === null).map(({ path }) => path)
  yield
  yield* refuseTwinsAmong(now, project, created, gone, file !== undefined)
  return { files, counts, changes: told.rows, languages: [...languages].sort() }
}
