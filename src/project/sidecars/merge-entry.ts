/** Merges versions of a sidecar's entries. An entry that is a list, such as comments, is merged item by item. */
import { isObject } from '../../bundle/body.ts'
import { byTime } from '../../bundle/key-items.ts'
import { mergeJson, ownMember } from '../merge-json.ts'

/** An item of a list. Lists are in the order of their times. */
interface ListItem {
  id: string
  /** ISO 8601. */
  at: string
}

/** Whether an entry is a list of items, each with its id. */
export const isItemList = (entry: unknown): entry is ListItem[] =>
  Array.isArray(entry) && entry.every(item => isObject(item) && [item.id, item.at].every(is => typeof is === 'string'))

/**
 * Merges an entry as `mergeJson` merges objects: an item that one side added, changed or removed does not concern the
 * other items. Undefined for a list without items.
 */
export function mergeEntry(base: unknown, theirs: unknown, mine: unknown): unknown {
  const lists = [theirs, mine].filter(entry => entry !== undefined)
  if (lists.length === 0 || !lists.every(isItemList)) return mergeJson(base, theirs, mine)
  const merged = mergeJson(itemsById(base), itemsById(theirs), itemsById(mine))
  const items = Object.values(merged as Record<string, ListItem>)
  return items.length === 0 ? undefined : byTime(items)
}

/** The items of two entries in one; an entry that is no list is replaced. */
export const joinEntries = (first: unknown, second: unknown): unknown =>
  isItemList(first) && isItemList(second) ? mergeEntry(undefined, first, second) : second

/** Merges files: entries by key. */
export function mergeKeyFiles(base: unknown, theirs: unknown, mine: unknown): unknown {
  if (!isObject(theirs) || !isObject(mine)) return mergeJson(base, theirs, mine)
  const before = isObject(base) ? base : {}
  const merged: [string, unknown][] = []
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const entry = mergeEntry(ownMember(before, key), ownMember(theirs, key), ownMember(mine, key))
    if (entry !== undefined) merged.push([key, entry])
  }
  return Object.fromEntries(merged)
}

const itemsById = (entry: unknown): object =>
  Object.fromEntries(isItemList(entry) ? entry.map(item => [item.id, item]) : [])
