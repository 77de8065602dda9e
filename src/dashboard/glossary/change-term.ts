/** Writes of one term: a commit that replaces nothing that another user wrote meanwhile. */
import type { QueryClient } from '@tanstack/react-query'
import { areTwins, type GlossaryTerm } from '../../glossary/glossary.ts'
import { ApiProblem, response } from '../api/answer.ts'
import { putGlossary, putProjectGlossary } from '../api/late-client.ts'
import { glossaryQuery } from './glossary-reads.ts'
import { isSameTerm } from './term-fields.ts'

/** The term is no longer as it was when the form opened. */
export class TermConflict extends Error {
  /** The stored term; undefined if it is gone. */
  readonly now: GlossaryTerm | undefined
  constructor(now: GlossaryTerm | undefined) {
    super('Another user changed this term.')
    this.now = now
  }
}

/** Another term has this name. */
export class TermExists extends Error {}

/** Attempts while other users change other terms. */
const ATTEMPTS = 5

/**
 * Adds a term (without `before`), replaces it, or deletes it (without `after`).
 * @throws TermConflict, TermExists, ApiProblem
 */
export async function changeTerm(
  client: QueryClient,
  slug: string | undefined,
  { before, after }: { before?: GlossaryTerm | undefined; after?: GlossaryTerm | undefined },
): Promise<void> {
  const query = glossaryQuery(slug)
  // Cancels a read that began before the write.
  const outdate = () => client.invalidateQueries({ queryKey: query.queryKey, exact: true })
  for (let attempt = 1; ; attempt++) {
    const { terms, etag } = await client.fetchQuery({ ...query, staleTime: Number.POSITIVE_INFINITY })
    try {
      const shared = { ifMatch: etag, ...changedGlossary(terms, before, after) }
      await response(slug === undefined ? putGlossary(shared) : putProjectGlossary({ slug, ...shared }))
      // The answer has no terms.
      return await outdate()
    } catch (error) {
      const isStale = error instanceof ApiProblem && error.status === 412
      // The cached glossary may be older than the reason of the refusal.
      const isOld = attempt === 1 && (error instanceof TermConflict || error instanceof TermExists)
      if (!isOld && !(isStale && attempt < ATTEMPTS)) throw error
      await outdate()
    }
  }
}

/** The request has only the changed term, except when a term is renamed or deleted. @throws TermConflict, TermExists */
function changedGlossary(terms: readonly GlossaryTerm[], before?: GlossaryTerm, after?: GlossaryTerm) {
  const now = terms.find(({ term }) => term === (before ?? after)?.term)
  if (before !== undefined && !isSameTerm(now, before)) throw new TermConflict(now)
  const others = terms.filter(({ term }) => term !== before?.term)
  if (after !== undefined && others.some(other => areTwins(other, after))) throw new TermExists()
  const isWhole = before !== undefined && before.term !== after?.term
  const sent = [...(isWhole ? others : []), ...(after ? [after] : [])]
  return {
    glossary: { terms: sent as Parameters<typeof putGlossary>[0]['glossary']['terms'] },
    ...(!isWhole && { merge: 'true' as const }),
  }
}
