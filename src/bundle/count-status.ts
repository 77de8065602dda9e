/** The counts of a translation beside its source. */

import { heldMarks, type MarkedTexts, NO_MARKED } from './checks/marked-texts.ts'
import { type Maxima, NO_MAXIMA } from './checks/maxima-in.ts'
import { problemsOf } from './checks/problems-of.ts'
import { type DismissedDigests, NO_DISMISSED, splitDismissed } from './checks/split-dismissed.ts'
import type { Interpolation } from './placeholders.ts'
import type { Bundle } from './resource.ts'
import { type Counts, type Facts, factsOf, isEmpty, type RulesOfBoth, stateOf } from './status.ts'

/** The facts of a bundle's messages by key. */
export type FactsByKey = ReadonlyMap<string, Facts>

/** @param interpolation of the project; i18next's own by default */
export function factsByKey({ tree }: Bundle, interpolation?: Interpolation): FactsByKey {
  return new Map(tree.entries().map(entry => [entry.key, factsOf(entry, interpolation)]))
}

export const noCounts = (): Counts => ({
  keys: 0,
  translated: 0,
  empty: 0,
  incomplete: 0,
  missing: 0,
  stale: 0,
  problems: 0,
  extra: 0,
  approved: 0,
  machine: 0,
  suggested: 0,
})

/** No keys. */
const NO_KEYS: ReadonlySet<string> = new Set()

/** Adds numbers to others. */
export function addCounts(sum: Counts, counts: Counts): void {
  for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name]
}

/**
 * Counts a source's keys by their state in a target.
 * @param noted keys with a note that their source changed @param maxima of lengths
 * @param dismissed problems that do not count @param marked approvals and marks of machines
 * @param suggested keys with a suggestion that waits
 */
export function countStatus(
  source: FactsByKey,
  target: FactsByKey,
  noted: readonly string[],
  rules: RulesOfBoth,
  maxima: Maxima = NO_MAXIMA,
  dismissed: DismissedDigests = NO_DISMISSED,
  marked: MarkedTexts = NO_MARKED,
  suggested: ReadonlySet<string> = NO_KEYS,
): Counts {
  const counts = noCounts()
  let shared = 0
  for (const [key, from] of source) {
    const to = target.get(key)
    const state = stateOf(from.flags, to?.flags ?? 0, rules)
    counts.keys++
    counts[state]++
    if (to === undefined) continue
    shared++
    if (state === 'empty') continue
    const held = heldMarks(marked.get(key), from, to)
    if (held.approved) counts.approved++
    if (held.machine) counts.machine++
    const problems = problemsOf(from, to, rules, maxima.get(key))
    if (splitDismissed(problems, dismissed.get(key), from, to).open.length > 0) counts.problems++
  }
  counts.extra = target.size - shared
  for (const key of noted) {
    const to = target.get(key)
    if (to !== undefined && source.has(key) && !isEmpty(to.flags)) counts.stale++
  }
  for (const key of suggested) if (source.has(key) || target.has(key)) counts.suggested++
  return counts
}
