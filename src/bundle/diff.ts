/** Compares two versions of a bundle, key by key. */
import { type Message, messageOf } from './message.ts'
import type { Bundle } from './resource.ts'

/** A key with two different messages; null where the key is absent. */
export interface KeyChange {
  key: string
  before: Message | null
  after: Message | null
}

/** A change in a project, as the API's diff, restore and undo return it. */
export interface BundleChange extends KeyChange {
  language: string
  namespace: string
}

/** Numbers of keys. */
export interface ChangeCounts {
  added: number
  updated: number
  removed: number
}

/** The keys with different messages, in code-unit order. Their places in the files do not matter. */
export function diffBundles(before: Bundle, after: Bundle): KeyChange[] {
  const changes: KeyChange[] = []
  for (const entry of after.tree.entries()) {
    const old = before.message(entry.key) ?? null
    const message = messageOf(entry)
    if (!sameMessage(old, message)) changes.push({ key: entry.key, before: old, after: message })
  }
  for (const entry of before.tree.entries()) {
    if (after.tree.get(entry.key) === undefined) {
      changes.push({ key: entry.key, before: messageOf(entry), after: null })
    }
  }
  return changes.sort((a, b) => (a.key < b.key ? -1 : 1))
}

/**
 * Whether two messages have the same texts; null is none. Forms are in CLDR order, so equal messages have equal JSON.
 */
export function sameMessage(a: Message | null, b: Message | null): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

export function countChanges(changes: readonly KeyChange[]): ChangeCounts {
  const counts = { added: 0, updated: 0, removed: 0 }
  for (const { before, after } of changes) {
    if (before === null) counts.added++
    else if (after === null) counts.removed++
    else counts.updated++
  }
  return counts
}
