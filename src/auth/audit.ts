/** The audit trail of an organization's accounts, for its owners: a year of running, bounded in rows. */
import { MOST_ORGANIZATIONS } from './account-bounds.ts'
import type { Engine } from './engine.ts'

/** What an entry can be about. */
export const EVENTS = [
  'sign-up',
  'sign-in',
  'sign-in-failed',
  'sign-out',
  'password-changed',
  'password-reset',
  'second-factor-on',
  'second-factor-off',
  'second-factor-failed',
  'backup-code-used',
  'backup-codes-renewed',
  'identity-linked',
  'token-minted',
  'token-revoked',
  'invitation-made',
  'invitation-withdrawn',
  'invitation-accepted',
  'invitation-declined',
  'member-added',
  'member-removed',
  'member-left',
  'role-changed',
  'rights-changed',
  'feed-renewed',
  'organization-made',
  'organization-renamed',
  'organization-deleted',
] as const
/** One of {@link EVENTS}. */
export type AuditEvent = (typeof EVENTS)[number]

/** One entry. Names and addresses are those of the moment. */
export type AuditEntry = ReturnType<typeof entryOf>

interface Row {
  number: number
  id: string
  time: number
  what: AuditEvent
  /** `operator`: a command on the server's machine; `nobody`: without proof of identity. */
  by: 'user' | 'operator' | 'nobody'
  byId: string | null
  byEmail: string | null
  aboutType: 'user' | 'token' | 'invitation' | 'organization' | null
  /** Null for invitations, because their id is a credential, and for unknown accounts. */
  aboutId: string | null
  aboutName: string | null
  /** An old role, name or scope; rights as JSON, null for all that the role may do. */
  changedFrom: string | null
  changedTo: string | null
  address: string | null
}

/** Hours of running before an entry is deleted: the clock may be wrong. */
export const AUDIT_HOURS = 365 * 24
const HOUR = 3_600_000
/** Deleted at once: a few milliseconds. */
const ROWS_AT_ONCE = 500
/** Rows of an organization by kind: neither guessed passwords nor many sign-ins push acts out. */
export const AUDIT_ROWS = { act: 10_000, session: 5_000, failure: 1_000 }

/** Selects entries up to `until` (milliseconds since 1970), by or about a user (id or address), of an event. */
export interface AuditQuery {
  what?: AuditEvent
  user?: string
  until?: number
  /** The previous page's last entry. */
  after?: string
  limit: number
}

export class Audit {
  readonly #engine
  #hour: number
  readonly #ran: () => number
  readonly #hours: number

  /**
   * @param ran milliseconds of running, which grow even when the clock is set back
   * @param hours the lifetime of an entry
   */
  constructor(
    engine: Pick<Engine, 'query' | 'change'>,
    ran: () => number = () => performance.now(),
    hours: number = AUDIT_HOURS,
  ) {
    this.#engine = engine
    this.#ran = ran
    this.#hours = hours
    this.#hour = ran()
  }

  /** An organization's entries, newest first, and the next page's `after`. @returns undefined for an unknown `after` */
  read(organization: string, query: AuditQuery): Promise<{ entries: AuditEntry[]; next: string | null } | undefined> {
    const { limit, what = null, user = null, until = null, after } = query
    return this.#engine.query(async run => {
      let before = Number.MAX_SAFE_INTEGER
      if (after !== undefined) {
        const { rows } = await run<{ number: number }>`
          select number from audit where "organizationId" = ${organization} and id = ${after}`
        if (rows[0] === undefined) return undefined
        before = rows[0].number
      }
      const { rows } = await run<Row>`
        select * from audit where "organizationId" = ${organization} and number < cast(${before} as bigint)
          and (cast(${what} as text) is null or what = ${what})
          and (cast(${until} as bigint) is null or time <= cast(${until} as bigint))
          and (cast(${user} as text) is null or "byId" = ${user} or "byEmail" = lower(${user})
            or ("aboutType" in ('user', 'invitation') and ("aboutId" = ${user} or lower("aboutName") = lower(${user}))))
        order by number desc limit cast(${limit + 1} as bigint)`
      const entries = rows.slice(0, limit).map(entryOf)
      return { entries, next: rows.length > limit ? entries.at(-1)!.id : null }
    })
  }

  /** Whether there is an entry of the organization's end. */
  recordsDeletion(organization: string): Promise<boolean> {
    return this.#engine.query(async run => {
      const { rows } = await run`
        select 1 from audit where "organizationId" = ${organization} and what = 'organization-deleted'`
      return rows.length > 0
    })
  }

  /** Deletes some expired entries, about once an hour. @returns whether there may be more */
  forgetOld(): Promise<boolean> {
    const ran = this.#ran()
    // One at most: a machine that slept has not run.
    const isHour = ran - this.#hour >= HOUR
    if (isHour) this.#hour = ran
    return this.#engine.change(async run => {
      if (isHour) await run`insert into audit_hour (newest) select id from audit order by number desc limit 1`
      // By id: numbers are given again once the newest entries are gone.
      const { changes } = await run`
        delete from audit where number in (
          select number from audit where number <= (
            select max(audit.number) from audit_hour join audit on audit.id = newest
            where audit_hour.number <= (select max(number) from audit_hour) - cast(${this.#hours} as bigint))
          order by number limit ${ROWS_AT_ONCE})`
      if (changes === ROWS_AT_ONCE) return true
      await run`
        delete from audit_hour where number < (select max(number) from audit_hour) - cast(${this.#hours} as bigint)`
      return false
    })
  }

  /** Records a wrong password or code. Unknown addresses are recorded too, so that both cost the same time. */
  async signInFailed(given: string, address: string, time: number): Promise<void> {
    const email = given.toLowerCase()
    await this.#engine.change(
      run => run`
        insert into audit (time, "organizationId", kind, what, "by", "aboutType", "aboutId", "aboutName", address)
        with account as (select id from "user" where email = ${email})
        select cast(${time} as bigint), place.id, 'failure', 'sign-in-failed', 'nobody', 'user',
          (select id from account), cast(${email} as text), cast(${address} as text)
        from (select "organizationId" as id from member join account on account.id = "userId"
              union all select null where not exists (select 1 from member join account on account.id = "userId")
              limit cast(${MOST_ORGANIZATIONS} as bigint)) as place`,
    )
  }
}

function entryOf(row: Row) {
  const { id, time, what, by, byId, byEmail, aboutType, aboutId, aboutName, changedFrom, changedTo, address } = row
  return {
    id,
    time: new Date(time).toISOString(),
    what,
    by,
    who: byId === null ? null : { id: byId, email: byEmail ?? '' },
    about: aboutType && { type: aboutType, id: aboutId, name: aboutName ?? '' },
    from: changedFrom,
    to: changedTo,
    address,
  }
}
