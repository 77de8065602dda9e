/** The plan of a revert: the files to write, and lists of what changes and what stays. */
import type { BundleChange, ChangeCounts } from '../bundle/diff.ts'
import { order } from './changed-files.ts'
import type { FieldsChange } from './diff.ts'
import type { BundleName } from './project.ts'
import { MAX_ROW_CHARACTERS, MAX_ROWS, type RevertOutcome } from './versions.ts'

/** A key that stays, wholly or in part, and why. */
export type SkippedKey = Omit<BundleName, 'slug'> & RevertOutcome['skipped'][number]

/** The files to write, and what that changes. */
export interface RevertPlan {
  /** Null removes a file. */
  files: { path: string; bytes: Buffer | null }[]
  counts: ChangeCounts
  /** The first by language, namespace and key, if they were asked for. */
  changes: BundleChange[]
  /** The languages that change. */
  languages: string[]
  /** The change of the project's own fields; the reason says why some stay. */
  project: (FieldsChange & { reason?: string }) | undefined
  /** The first by language, namespace and key; `skippedKeys` counts all. */
  skipped: SkippedKey[]
  skippedKeys: number
}

/**
 * The plan of reverting several commits, each on top of the one before.
 * @param total the files and keys that differ in the end @param plans of each commit, in the order of the reverts
 */
export function together(total: RevertPlan, plans: readonly RevertPlan[]): RevertPlan {
  const byName = new Map<string, SkippedKey>()
  let unlisted = 0
  for (const plan of plans) {
    unlisted += plan.skippedKeys - plan.skipped.length
    for (const row of plan.skipped) {
      const name = JSON.stringify([row.language, row.namespace, row.key])
      if (!byName.has(name)) byName.set(name, row)
    }
  }
  const skipped = new FirstRows<SkippedKey>()
  skipped.add([...byName].sort(([a], [b]) => order(a, b)).map(([, row]) => row))
  const fields = plans.flatMap(({ project }) => project ?? [])
  const reasons = [...new Set(fields.flatMap(({ reason }) => reason ?? []))]
  const project = fields.length === 0 ? undefined : { before: fields[0]!.before, after: fields.at(-1)!.after }
  return {
    ...total,
    project: project && { ...project, ...(reasons.length > 0 && { reason: reasons.join(' ') }) },
    skipped: skipped.rows,
    skippedKeys: byName.size + unlisted,
  }
}

/** The first rows of a list, at most {@link MAX_ROWS} of {@link MAX_ROW_CHARACTERS}. */
export class FirstRows<T> {
  readonly rows: T[] = []
  #characters = MAX_ROW_CHARACTERS

  add(rows: readonly T[]): void {
    for (const row of rows) {
      if (this.rows.length >= MAX_ROWS || this.#characters <= 0) return
      this.rows.push(row)
      this.#characters -= JSON.stringify(row).length
    }
  }
}
