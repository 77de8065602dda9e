/** Merges versions of a JSON value. */
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
  const way = threeWay(base, mine, theirs, sameJson)
  if (way === 'ours') return mine
  if (way !== 'conflict' || mine === undefined) return theirs
  if (!isObject(theirs) || !isObject(mine)) return mine
  const before = isObject(base) ? base : {}
  // Without a prototype, so that a member may be called `__proto__`.
  const merged: Members = Object.create(null)
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const value = mergeJson(ownMember(before, name), ownMember(theirs, name), ownMember(mine, name))
    if (value !== undefined) merged[name] = value
  }
  return merged
}

/** A member of the object itself, undefined without it. */
export function ownMember(members: Members, name: string): Json {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** Whether two values are equal; the order of members does not matter. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, i) => sameJson(value, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length && names.every(name => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  )
}
