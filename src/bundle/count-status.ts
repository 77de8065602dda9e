/** The counts of a translation beside its source. */
import type { Interpolation } from './placeholders.ts'
import type { Bundle } from './resource.ts'
import { type Counts, type Facts, factsOf, isEmpty, noCounts, problemsOf, type RulesOfBoth, stateOf } from './status.ts'

/** The facts of a bundle's messages by key. */
export type FactsByKey = ReadonlyMap<string, Facts>

/** @param interpolation of the project; i18next's own by default */
export function factsByKey({ tree }: Bundle, interpolation?: Interpolation): FactsByKey {
  return new Map(tree.entries().map(entry => [entry.key, factsOf(entry, interpolation)]))
}

/** Most pairs of messages with stored results. */
const MAX_PAIRS = 1000

/** Counts a source's keys by their state in a target. @param noted keys with a note that their source changed */
export function countStatus(
  source: FactsByKey,
  target: FactsByKey,
  noted: readonly string[],
  rules: RulesOfBoth,
): Counts {
  const counts = noCounts()
  /** Most pairs have the same placeholders as an earlier one. */
  const pairs = new Map<string, boolean>()
  const hasProblems = (from: Facts, to: Facts) => {
    if (from.placeholders === '' && to.placeholders === '') return false
    const pair = `${from.flags} ${from.placeholders} ${to.flags} ${to.placeholders}`
    const known = pairs.get(pair)
    if (known !== undefined) return known
    if (pairs.size >= MAX_PAIRS) pairs.clear()
    const found = problemsOf(from, to, rules).length > 0
    pairs.set(pair, found)
    return found
  }
  let shared = 0
  for (const [key, from] of source) {
    const to = target.get(key)
    const state = stateOf(from.flags, to?.flags ?? 0, rules)
    counts.keys++
    counts[state]++
    if (to === undefined) continue
    shared++
    if (state !== 'empty' && hasProblems(from, to)) counts.problems++
  }
  counts.extra = target.size - shared
  for (const key of noted) {
    const to = target.get(key)
    if (to !== undefined && source.has(key) && !isEmpty(to.flags)) counts.stale++
  }
  return counts
}
