/** Finds a commit by a line of its message, such as a trailer that a write left for a later one. */
import type { FastifyInstance } from 'fastify'
import { readCommitText } from '../../store/objects/commit.ts'
import { followFirstParents } from '../../store/revisions/past.ts'

/** The commits to look at: those after a revision, at most `most`. */
interface LookedAtCommits {
  organization: string
  since: string | null
  most: number
}

/**
 * @param found what a line of the body says, undefined for another line
 * @returns that of the newest commit with one; undefined without one, null where more than `most` commits came since
 */
export async function findBodyLine<T extends object>(
  { store }: Pick<FastifyInstance, 'store'>,
  { organization, since, most }: LookedAtCommits,
  found: (line: string, revision: string) => T | undefined,
): Promise<T | null | undefined> {
  const look = <U>(use: Parameters<typeof store.look<U>>[1]) => store.look(organization, use)
  const head = await look(past => past?.head.commit)
  if (!head) return undefined
  let commits = 0
  const result = await followFirstParents<T | 'end' | null>(head, look, ({ objects }, id) => {
    if (id === since) return 'end'
    if (commits++ === most) return null
    for (const line of readCommitText(objects.commit(id)).body.split('\n')) {
      const value = found(line, id)
      if (value !== undefined) return value
    }
    return undefined
  })
  return result === 'end' ? undefined : result
}
