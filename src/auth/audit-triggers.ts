/**
 * Triggers of this connection write each audit entry in the transaction of its act, so that neither is without the
 * other, whichever way it took through better-auth.
 */
import { type Acting, whoActs } from './acting.ts'
import { AUDIT_ROWS, type Event } from './audit.ts'
import type { Database } from './database.ts'

/** Which change of a table is which event: SQL over `new`, `old` and {@link acting}. */
interface Rule {
  on: string
  when?: string
  what: Event | { sql: string }
  /** An organization, or a user for all of theirs. */
  organization: string | { ofUser: string }
  kind?: 'act' | 'session' | 'failure'
  /** Who acts when no session tells: the user concerned. */
  self?: string
  about: [type: 'user' | 'token' | 'invitation' | 'organization', id: string, name: string]
  from?: string
  to?: string
}

type Of = Pick<Rule, 'organization' | 'about'>

/** The user concerned; `id` and `email` are SQL. */
const user = (id: string, email = `(select email from user where id = ${id})`): Rule['about'] => ['user', id, email]
/** An act on a user's account, known in all of their organizations. */
const onUser = (id: string, email?: string) => ({ organization: { ofUser: id }, about: user(id, email) })
/** The same by that user, when no session tells. */
const byUser = (id: string, email?: string) => ({ ...onUser(id, email), self: id })
/** An act on an organization's rows; `row` is SQL's `new` or `old`. */
const onMember = (row: string) => ({ organization: `${row}.organizationId`, about: user(`${row}.userId`) })
const onToken = (row: string): Of => ({
  organization: `${row}.organizationId`,
  about: ['token', `${row}.id`, `${row}.name`],
})
const onInvitation: Of = { organization: 'new.organizationId', about: ['invitation', 'null', 'new.email'] }
const onOrganization = (row: string): Of => ({
  organization: `${row}.id`,
  about: ['organization', `${row}.id`, `${row}.name`],
})
const path = "acting('path')"
const deleting = `${path} is '/organization/delete'`

const RULES: Rule[] = [
  { on: 'insert on user', what: 'sign-up', ...byUser('new.id', 'new.email') },
  {
    // A first factor's session ends before anybody gets it.
    on: 'insert on session',
    when: `${path} in ('/sign-in/email', '/callback/oidc')
        and not (select coalesce(twoFactorEnabled, 0) from user where id = new.userId)
      or ${path} in ('/two-factor/verify-totp', '/two-factor/verify-backup-code') and acting('id') is null`,
    what: 'sign-in',
    kind: 'session',
    ...byUser('new.userId'),
  },
  {
    on: 'delete on session',
    when: `${path} is '/sign-out'`,
    what: 'sign-out',
    kind: 'session',
    ...byUser('old.userId'),
  },
  {
    on: 'update of password on account',
    when: 'old.password is not new.password',
    what: { sql: "iif(acting('by') = 'operator', 'password-reset', 'password-changed')" },
    ...onUser('new.userId'),
  },
  { on: 'insert on account', when: `${path} is 'reset-password'`, what: 'password-reset', ...onUser('new.userId') },
  {
    on: 'insert on account',
    when: "new.providerId <> 'credential'",
    what: 'identity-linked',
    ...byUser('new.userId'),
    to: 'new.providerId',
  },
  {
    on: 'update of twoFactorEnabled on user',
    when: 'coalesce(old.twoFactorEnabled, 0) <> coalesce(new.twoFactorEnabled, 0)',
    what: { sql: "iif(new.twoFactorEnabled, 'second-factor-on', 'second-factor-off')" },
    ...onUser('new.id', 'new.email'),
  },
  {
    on: 'update of failedVerificationCount on twoFactor',
    when: 'new.failedVerificationCount > coalesce(old.failedVerificationCount, 0)',
    what: 'second-factor-failed',
    kind: 'failure',
    ...onUser('new.userId'),
  },
  {
    on: 'update of backupCodes on twoFactor',
    when: `${path} in ('/two-factor/verify-backup-code', '/two-factor/generate-backup-codes')`,
    what: { sql: `iif(${path} = '/two-factor/verify-backup-code', 'backup-code-used', 'backup-codes-renewed')` },
    ...byUser('new.userId'),
  },
  { on: 'insert on api_token', what: 'token-minted', ...onToken('new'), to: 'new.scope' },
  { on: 'delete on api_token', when: `not ${deleting}`, what: 'token-revoked', ...onToken('old'), from: 'old.scope' },
  { on: 'insert on invitation', what: 'invitation-made', ...onInvitation, to: 'new.role' },
  {
    on: 'update of status on invitation',
    when: 'old.status is not new.status',
    what: {
      sql: "case new.status when 'accepted' then 'invitation-accepted' when 'rejected' then 'invitation-declined' else 'invitation-withdrawn' end",
    },
    ...onInvitation,
    to: 'new.role',
  },
  {
    on: 'insert on member',
    when: `${path} is not '/organization/create' and ${path} is not '/organization/accept-invitation'`,
    what: 'member-added',
    ...onMember('new'),
    to: 'new.role',
  },
  {
    on: 'delete on member',
    when: `not ${deleting}`,
    what: { sql: `iif(${path} is '/organization/leave', 'member-left', 'member-removed')` },
    ...onMember('old'),
    from: 'old.role',
  },
  {
    on: 'update of role on member',
    when: 'old.role is not new.role',
    what: 'role-changed',
    ...onMember('new'),
    from: 'old.role',
    to: 'new.role',
  },
  { on: 'insert on organization', what: 'organization-made', ...onOrganization('new') },
  {
    on: 'update of name, slug on organization',
    when: 'old.name is not new.name or old.slug is not new.slug',
    what: 'organization-renamed',
    ...onOrganization('new'),
    from: "old.name || ' (' || old.slug || ')'",
    to: "new.name || ' (' || new.slug || ')'",
  },
  { on: 'delete on organization', what: 'organization-deleted', ...onOrganization('old') },
]

/** Further organizations of a user get no entry. */
const MOST_PLACES = 100

/** Makes this connection keep the trail; the triggers are temporary, so that SQLite's command line has none. */
export function keepAudit(database: Database, now: () => number): void {
  database.function('acting', { deterministic: false }, (what: unknown) => tell(whoActs(), what, now))
  RULES.forEach((rule, index) => {
    database.exec(triggerOf(rule, index))
  })
  database.exec(`create temp trigger audit_bounds after insert on main.audit begin
    delete from audit where organizationId is new.organizationId and kind = new.kind and number <= (
      select number from audit where organizationId is new.organizationId and kind = new.kind order by number desc
      limit 1 offset case new.kind ${Object.entries(AUDIT_ROWS)
        .map(([kind, rows]) => `when '${kind}' then ${rows}`)
        .join(' ')} end);
  end`)
}

function tell(acting: Acting | undefined, what: unknown, now: () => number): string | number | null {
  if (what === 'time') return now()
  if (what === 'by') return acting?.operator ? 'operator' : acting?.user ? 'user' : 'nobody'
  const { path, address, user: { id, email } = {} } = acting ?? {}
  return { path, address, id, email }[String(what)] ?? null
}

function triggerOf(
  { on, when = 'true', what, organization, kind = 'act', self, about, from, to }: Rule,
  index: number,
): string {
  const [change, table] = on.split(' on ')
  const [type, aboutId, name] = about
  const byId = self === undefined ? "acting('id')" : `iif(acting('by') = 'operator', null, ${self})`
  const byEmail = self === undefined ? "acting('email')" : `iif(acting('by') = 'operator', null, ${name})`
  const by = self === undefined ? "acting('by')" : "iif(acting('by') = 'operator', 'operator', 'user')"
  const places =
    typeof organization === 'string'
      ? `(select ${organization} as id)`
      : `(select organizationId as id from member where userId = ${organization.ofUser}
          union all select null where not exists (select 1 from member where userId = ${organization.ofUser})
          limit ${MOST_PLACES})`
  return `create temp trigger audit_${index} after ${change} on main."${table}" when ${when} begin
    insert into audit (time, organizationId, kind, what, "by", byId, byEmail, aboutType, aboutId, aboutName, changedFrom, changedTo, address)
    select acting('time'), place.id, '${kind}', ${typeof what === 'string' ? `'${what}'` : what.sql}, ${by}, ${byId}, ${byEmail},
      '${type}', ${aboutId}, ${name}, ${from ?? 'null'}, ${to ?? 'null'}, acting('address')
    from ${places} as place;
  end`
}
