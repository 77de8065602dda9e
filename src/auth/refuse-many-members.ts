import { MOST_MEMBERS_AT_ONCE } from './account-bounds.ts'
import type { Memberships } from './memberships.ts'
import { Refusal } from './refusal.ts'
import type { Session } from './sessions.ts'

/** Routes that answer with members, and the parameter of each for the maximum. */
const LIMITS: Record<string, string> = {
  '/organization/get-full-organization': 'membersLimit',
  '/organization/list-members': 'limit',
}

/** Refuses a read of more members than one answer may have. @throws Refusal 400 */
export function refuseManyMembers(
  memberships: Memberships,
  session: Session | undefined,
  path: string,
  query: URLSearchParams,
): void {
  const limit = LIMITS[path]
  if (session === undefined || limit === undefined) return
  // better-auth reads 0 as none given.
  const wanted = Number(query.get(limit)) || Number.POSITIVE_INFINITY
  if (wanted <= MOST_MEMBERS_AT_ONCE) return
  const organization = query.get('organizationId') || session.activeOrganization || ''
  const count = memberships.count(query.get('organizationSlug') || null, organization)
  if (count <= MOST_MEMBERS_AT_ONCE) return
  throw new Refusal(
    400,
    'TOO_MANY_MEMBERS',
    `The organization has ${count} members, and one answer at most ${MOST_MEMBERS_AT_ONCE}: set ${limit}. ` +
      'list-members pages by limit and offset.',
  )
}
