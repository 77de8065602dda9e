/** Which commits a commit descends from. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { readCommit } from '../objects/commit.ts'
import type { Objects } from '../snapshot.ts'

/** More commits than these are not followed one by one. */
const MOST_BETWEEN = 1000

/**
 * The commits after `from` and before `to` by first parents, the oldest first; none where `from` is too far away, or not
 * among them, as after a rebase or in a history that lacks commits.
 */
export function commitsBetween(objects: Objects, from: string | null, to: string): string[] {
  const found: string[] = []
  for (let commit = to; found.length <= MOST_BETWEEN; found.push(commit)) {
    const parent = firstParent(objects, commit)
    if (parent === from) return found.reverse()
    if (parent === undefined) break
    commit = parent
  }
  return []
}

function firstParent(objects: Objects, commit: string): string | undefined {
  try {
    return readCommit(objects.commit(commit)).parents[0]
  } catch {
    return undefined
  }
}

/** Whether `commit` is `from` or one of its ancestors. */
export const isAncestor = async (commit: string, from: string | null, objects: Objects): Promise<boolean> =>
  (await lastAncestor(new Map([[commit, 0]]), from, objects)) === 0

/**
 * The highest position among the ancestors of `from`; -1 for none. @param positions one line's commits, oldest first
 */
export async function lastAncestor(
  positions: ReadonlyMap<string, number>,
  from: string | null,
  objects: Objects,
): Promise<number> {
  const seen = new Set<string>()
  const waiting = from === null || positions.size === 0 ? [] : [from]
  let last = -1
  for (let commit = waiting.pop(); commit !== undefined; commit = waiting.pop()) {
    if (seen.has(commit)) continue
    seen.add(commit)
    const position = positions.get(commit)
    // Below a commit of the line lie only older ones of it.
    if (position !== undefined) last = Math.max(last, position)
    else waiting.push(...readCommit(objects.commit(commit)).parents)
    if (seen.size % 500 === 0) await yieldToOthers()
  }
  return last
}
