/** Merges a person's change of a file with HEAD's since. */
import { isObject } from '../bundle/body.ts'
import { threeWay } from '../bundle/three-way.ts'

type Json = unknown
type Members = Record<string, Json>

/**
 * Merges by member. If both sides changed a member, `mine` wins, but it removes no member that the other side changed.
 * A list is one value.
 * @param base what both started from
 * @param theirs HEAD's present version
 * @param mine the person's version
 */
export function mergeJson(base: Json, theirs: Json, mine: Json): Json {
  const way = threeWay(base, mine, theirs, same)
  if (way === 'ours') return mine
  if (way !== 'conflict' || mine === undefined) return theirs
  if (!isObject(theirs) || !isObject(mine)) return mine
  const before = isObject(base) ? base : {}
  // Without a prototype, so that a member may be called `__proto__`.
  const merged: Members = Object.create(null)
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const value = mergeJson(own(before, name), own(theirs, name), own(mine, name))
    if (value !== undefined) merged[name] = value
  }
  return merged
}

/** The members of `after` that are missing or different in `before`. */
export function changedPart(before: Json, after: Json): Json {
  if (!isObject(before) || !isObject(after)) return after
  const part: Members = Object.create(null)
  for (const [name, value] of Object.entries(after)) {
    const old = own(before, name)
    if (!same(old, value)) part[name] = changedPart(old, value)
  }
  return part
}

function own(members: Members, name: string): Json {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

function same(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, i) => same(value, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every(name => Object.hasOwn(b, name) && same(a[name], b[name]))
}
