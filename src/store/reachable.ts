/** Walks all that a commit or tag leads to, and says what is missing. */

import { Failure } from '../bundle/errors.ts'
import { slices } from '../scheduling/slices.ts'
import { readCommit } from './objects/commit.ts'
import type { GitObject, ObjectType } from './objects/objects.ts'
import { Tree } from './objects/tree.ts'
import type { Objects } from './snapshot.ts'

interface Step {
  id: string
  /** Undefined for what a ref names. */
  type?: ObjectType
}

/**
 * What is unreadable of all that `ids` lead to, in a sentence without a stop; undefined when all is well.
 * @param options `contents`: also read the files, not only look for them; `look` is called each thousand objects and
 * may throw
 */
export async function findMissing(
  ids: string[],
  objects: Objects,
  { contents = false, look = () => {} }: { contents?: boolean; look?: (seen: number) => void } = {},
): Promise<string | undefined> {
  const seen = new Set<string>([Tree.EMPTY.id])
  const waiting: Step[] = ids.map(id => ({ id }))
  const pause = slices()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { id, type = 'object' } = next
    if (seen.has(id)) continue
    seen.add(id)
    if (seen.size % 1000 === 0) look(seen.size)
    await pause()
    try {
      if (type === 'blob' && !contents && objects.has(id)) continue
      const object = objects.find(id)
      if (object === undefined || (next.type && object.type !== type)) return `the ${type} ${id} is missing`
      for (const step of stepsFrom(object)) if (!seen.has(step.id)) waiting.push(step)
    } catch (error) {
      return error instanceof Failure ? error.message.replace(/\.$/, '') : `the ${type} ${id} cannot be read`
    }
  }
  return undefined
}

function stepsFrom({ type, bytes }: GitObject): Step[] {
  if (type === 'commit') {
    const { tree, parents } = readCommit(bytes)
    return [{ id: tree, type: 'tree' }, ...parents.map(id => ({ id, type: 'commit' as const }))]
  }
  if (type === 'tag') return [{ id: /^object ([0-9a-f]{40})$/m.exec(bytes.toString('latin1'))?.[1] ?? '' }]
  // A submodule's commit is in another repository.
  const entries = type === 'tree' ? Tree.parse(bytes).entries() : []
  return entries.filter(({ mode }) => mode !== '160000').map(({ id, kind }) => ({ id, type: kind }))
}
