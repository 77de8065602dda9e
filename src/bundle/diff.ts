/** The keys in which two versions of a bundle differ. */
import { type Message, messageOf } from './message.ts'
import type { Bundle } from './resource.ts'

/** A key whose message differs; null where it is absent. */
export interface KeyChange {
  key: string
  before: Message | null
  after: Message | null
}

/** One of a project, as the API's diff, restore and undo tell it. */
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

/** The keys whose messages differ, in code-unit order, wherever they stand. */
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

/** Whether two messages have the same texts; null is none. Forms are in CLDR order, so their JSON tells. */
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
