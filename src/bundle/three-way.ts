/** The three-way decision of undo, merges and drafts, and the leaves that it compares. */
import type { KeyEntry } from './json-node.ts'
import { join, type LeafName } from './message.ts'

/**
 * - `same`: both sides are equal
 * - `ours`, `theirs`: only that side differs from the base
 * - `conflict`: both sides differ from the base, each in its own way
 */
export type ThreeWayResult = 'same' | 'ours' | 'theirs' | 'conflict'

export function threeWay<T>(base: T, ours: T, theirs: T, isEqual: (a: T, b: T) => boolean = Object.is): ThreeWayResult {
  if (isEqual(ours, theirs)) return 'same'
  if (isEqual(ours, base)) return 'theirs'
  return isEqual(theirs, base) ? 'ours' : 'conflict'
}

/** The leaves of some entries, each once, in the order of their first entry. */
export function leavesOf(entries: Iterable<KeyEntry | undefined>): LeafName[] {
  const leaves = new Map<string, LeafName>()
  for (const entry of entries) {
    for (const [leaf] of entry?.leaves() ?? []) {
      const name = join(leaf)
      if (!leaves.has(name)) leaves.set(name, leaf)
    }
  }
  return [...leaves.values()]
}

/** The outermost of some arrays that a key is in. */
export function arrayOf(key: string, arrays: ReadonlySet<string>): string | undefined {
  for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', dot + 1)) {
    if (arrays.has(key.slice(0, dot))) return key.slice(0, dot)
  }
  return undefined
}
