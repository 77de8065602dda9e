/** Deletes rows of better-auth that are worth nothing any more, a few at a time, in either database. */
import { MOST_INVITATIONS, MOST_PENDING_INVITATIONS } from './account-bounds.ts'
import type { Engine } from './engine.ts'

/** Rows in one statement, so that requests wait for milliseconds at most. */
const ROWS_AT_ONCE = 500
/** An accepted, declined, withdrawn or expired invitation stays in the list for this time after its end. */
const SETTLED_FOR_MS = 30 * 86_400_000
/** Maximum settled invitations of an organization. */
const MOST_SETTLED = MOST_INVITATIONS - MOST_PENDING_INVITATIONS

/**
 * Deletes some expired sessions, verifications and invitations.
 * @param now milliseconds since 1970, by the clock of better-auth @returns whether there may be more
 */
export function deleteExpired(engine: Engine, now: number): Promise<boolean> {
  const at = new Date(now).toISOString()
  const settled = new Date(now - SETTLED_FOR_MS).toISOString()
  return engine.change(async run => {
    const deleted = [
      await run`delete from session where id in (
        select id from session where "expiresAt" < ${at} limit ${ROWS_AT_ONCE})`,
      await run`delete from verification where id in (
        select id from verification where "expiresAt" < ${at} limit ${ROWS_AT_ONCE})`,
      await run`delete from invitation where id in (
        select id from invitation where "expiresAt" < ${settled} limit ${ROWS_AT_ONCE})`,
    ]
    return deleted.some(({ changes }) => changes === ROWS_AT_ONCE)
  })
}

/** Deletes the oldest invitations of an organization that are not pending, over the maximum. */
export async function deleteOldInvitations(engine: Engine, organization: string, now: number): Promise<void> {
  const at = new Date(now).toISOString()
  await engine.change(
    run => run`delete from invitation where id in (
      select id from invitation
      where "organizationId" = ${organization} and (status <> 'pending' or "expiresAt" < ${at})
      order by "createdAt" desc limit ${ROWS_AT_ONCE} offset ${MOST_SETTLED})`,
  )
}
