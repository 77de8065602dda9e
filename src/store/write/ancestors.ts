/** Which commits a commit descends from. */
import { slices } from '../../scheduling/slices.ts'
import { isOwnCommit, readCommit } from '../objects/commit.ts'
import type { Objects } from '../snapshot.ts'

/** More commits than these are not followed one by one. */
const MOST_BETWEEN = 1000

/**
 * The nearest of the server's own commits up to `to`, by first parents, or `from`; and the commits between that and
 * `to`, the oldest first. The result is `from` with none between where that is too far away or a commit is missing.
 */
export function commitsSince(
  objects: Objects,
  from: string | null,
  to: string,
): { noted: string | null; between: string[] } {
  const between: string[] = []
  let commit: string | undefined = to
  while (commit !== undefined && between.length <= MOST_BETWEEN) {
    const bytes = readOrNone(objects, commit)
    if (bytes === undefined) break
    if (commit === from || isOwnCommit(bytes)) return { noted: commit, between: between.slice(1).reverse() }
    between.push(commit)
    commit = readCommit(bytes).parents[0]
  }
  return { noted: from, between: [] }
}

function readOrNone(objects: Objects, commit: string): Buffer | undefined {
  try {
    return objects.commit(commit)
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
  const pause = slices()
  for (let commit = waiting.pop(); commit !== undefined; commit = waiting.pop()) {
    if (seen.has(commit)) continue
    seen.add(commit)
    const position = positions.get(commit)
    // Below a commit of the line lie only older ones of it.
    if (position !== undefined) last = Math.max(last, position)
    else waiting.push(...readCommit(objects.commit(commit)).parents)
    await pause()
  }
  return last
}
