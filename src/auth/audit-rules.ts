/**
 * The changes of accounts that the audit trail records, in SQL for both databases. Triggers write each entry in the
 * transaction of its act. Neither is stored without the other, on any path through better-auth.
 */
import { MOST_ORGANIZATIONS } from './account-bounds.ts'
import { type ActorFacts, actorFacts, currentActor } from './actor.ts'
import { AUDIT_ROWS, type AuditEvent } from './audit.ts'
import type { Database } from './database.ts'

/**
 * Which change of a table is which event: SQL that SQLite and PostgreSQL both understand, over `new`, `old` and the
 * functions `acting(text)`, which reads the {@link Actor}, and `acting_time()`.
 */
export interface AuditRule {
  on: string
  when?: string
  what: AuditEvent | { sql: string }
  /** An organization, or a user for all of theirs. */
  organization: string | { ofUser: string }
  kind?: 'act' | 'session' | 'failure'
  /** The actor when there is no session: the user concerned. */
  self?: string
  about: [type: 'user' | 'token' | 'invitation' | 'organization', id: string, name: string]
  from?: string
  to?: string
}

type Of = Pick<AuditRule, 'organization' | 'about'>

/** The user concerned; `id` and `email` are SQL. */
const user = (id: string, email = `(select email from "user" where id = ${id})`): AuditRule['about'] => [
  'user',
  id,
  email,
]
/** An act on a user's account, known in all of their organizations. */
const onUser = (id: string, email?: string) => ({ organization: { ofUser: id }, about: user(id, email) })
/** The same by that user, when there is no session. */
const byUser = (id: string, email?: string) => ({ ...onUser(id, email), self: id })
/** An act on an organization's rows; `row` is SQL's `new` or `old`. */
const onMember = (row: string): Of => ({ organization: `${row}."organizationId"`, about: user(`${row}."userId"`) })
const onToken = (row: string): Of => ({
  organization: `${row}."organizationId"`,
  about: ['token', `${row}.id`, `${row}.name`],
})
const onInvitation: Of = { organization: 'new."organizationId"', about: ['invitation', 'null', 'new.email'] }
const onOrganization = (row: string): Of => ({
  organization: `${row}.id`,
  about: ['organization', `${row}.id`, `${row}.name`],
})
const path = "acting('path')"
const deleting = `coalesce(${path}, '') = '/organization/delete'`

/** See {@link AuditRule}. */
export const RULES: AuditRule[] = [
  { on: 'insert on user', what: 'sign-up', ...byUser('new.id', 'new.email') },
  {
    // A first factor's session ends before anybody gets it.
    on: 'insert on session',
    when: `${path} in ('/sign-in/email', '/callback/oidc')
        and not exists (select 1 from "user" where id = new."userId" and "twoFactorEnabled")
      or ${path} in ('/two-factor/verify-totp', '/two-factor/verify-backup-code') and acting('id') is null`,
    what: 'sign-in',
    kind: 'session',
    ...byUser('new."userId"'),
  },
  {
    on: 'delete on session',
    when: `${path} = '/sign-out'`,
    what: 'sign-out',
    kind: 'session',
    ...byUser('old."userId"'),
  },
  {
    on: 'update of password on account',
    when: 'old.password is distinct from new.password',
    what: { sql: "case when acting('by') = 'operator' then 'password-reset' else 'password-changed' end" },
    ...onUser('new."userId"'),
  },
  {
    on: 'insert on account',
    when: `${path} = 'reset-password'`,
    what: 'password-reset',
    ...onUser('new."userId"'),
  },
  {
    on: 'insert on account',
    when: `new."providerId" <> 'credential'`,
    what: 'identity-linked',
    ...byUser('new."userId"'),
    to: 'new."providerId"',
  },
  {
    on: 'update of "twoFactorEnabled" on user',
    when: 'coalesce(old."twoFactorEnabled", false) <> coalesce(new."twoFactorEnabled", false)',
    what: { sql: `case when new."twoFactorEnabled" then 'second-factor-on' else 'second-factor-off' end` },
    ...onUser('new.id', 'new.email'),
  },
  {
    on: 'update of "failedVerificationCount" on twoFactor',
    when: 'new."failedVerificationCount" > coalesce(old."failedVerificationCount", 0)',
    what: 'second-factor-failed',
    kind: 'failure',
    ...onUser('new."userId"'),
  },
  {
    on: 'update of "backupCodes" on twoFactor',
    when: `${path} in ('/two-factor/verify-backup-code', '/two-factor/generate-backup-codes')`,
    what: {
      sql: `case ${path} when '/two-factor/verify-backup-code' then 'backup-code-used' else 'backup-codes-renewed' end`,
    },
    ...byUser('new."userId"'),
  },
  { on: 'insert on api_token', what: 'token-minted', ...onToken('new'), to: 'new.scope' },
  { on: 'delete on api_token', when: `not ${deleting}`, what: 'token-revoked', ...onToken('old'), from: 'old.scope' },
  { on: 'insert on invitation', what: 'invitation-made', ...onInvitation, to: 'new.role' },
  {
    on: 'update of status on invitation',
    when: 'old.status is distinct from new.status',
    what: {
      sql: "case new.status when 'accepted' then 'invitation-accepted' when 'rejected' then 'invitation-declined' else 'invitation-withdrawn' end",
    },
    ...onInvitation,
    to: 'new.role',
  },
  {
    on: 'insert on member',
    when: `coalesce(${path}, '') not in ('/organization/create', '/organization/accept-invitation')`,
    what: 'member-added',
    ...onMember('new'),
    to: 'new.role',
  },
  {
    on: 'delete on member',
    when: `not ${deleting}`,
    what: { sql: `case ${path} when '/organization/leave' then 'member-left' else 'member-removed' end` },
    ...onMember('old'),
    from: 'old.role',
  },
  {
    on: 'update of role on member',
    when: 'old.role is distinct from new.role',
    what: 'role-changed',
    ...onMember('new'),
    from: 'old.role',
    to: 'new.role',
  },
  { on: 'insert on organization', what: 'organization-made', ...onOrganization('new') },
  {
    on: 'update of name, slug on organization',
    when: 'old.name is distinct from new.name or old.slug is distinct from new.slug',
    what: 'organization-renamed',
    ...onOrganization('new'),
    from: "old.name || ' (' || old.slug || ')'",
    to: "new.name || ' (' || new.slug || ')'",
  },
  { on: 'delete on organization', what: 'organization-deleted', ...onOrganization('old') },
  // New rules stand at the end: in PostgreSQL the place in this list names a trigger.
  ...(
    [
      ['api_token', onToken('new')],
      ['invitation', onInvitation],
      ['member', onMember('new')],
    ] as const
  ).flatMap(([table, of]): AuditRule[] => [
    { on: `insert on ${table}`, when: 'new.rights is not null', what: 'rights-changed', ...of, to: 'new.rights' },
    {
      on: `update of rights on ${table}`,
      when: 'old.rights is distinct from new.rights',
      what: 'rights-changed',
      ...of,
      from: 'old.rights',
      to: 'new.rights',
    },
  ]),
  // The key of a feed reads an inbox.
  ...(['insert', 'update of "feedNonce"'] as const).map(
    (change): AuditRule => ({
      on: `${change} on member_inbox`,
      when: `new."feedNonce" is not null${change === 'insert' ? '' : ' and old."feedNonce" is distinct from new."feedNonce"'}`,
      what: 'feed-renewed',
      organization: '(select "organizationId" from member where id = new.id)',
      about: user('(select "userId" from member where id = new.id)'),
    }),
  ),
]

/** The statement that records a change, and its condition. */
export function noteOf({ when = 'true', what, organization, kind = 'act', self, about, from, to }: AuditRule): {
  when: string
  insert: string
} {
  const [type, aboutId, name] = about
  const byId = self === undefined ? "acting('id')" : `case when acting('by') = 'operator' then null else ${self} end`
  const byEmail =
    self === undefined ? "acting('email')" : `case when acting('by') = 'operator' then null else ${name} end`
  const by = self === undefined ? "acting('by')" : "case when acting('by') = 'operator' then 'operator' else 'user' end"
  const places =
    typeof organization === 'string'
      ? `(select ${organization} as id)`
      : `(select "organizationId" as id from member where "userId" = ${organization.ofUser}
          union all select null where not exists (select 1 from member where "userId" = ${organization.ofUser})
          limit ${MOST_ORGANIZATIONS})`
  const insert = `insert into audit (time, "organizationId", kind, what, "by", "byId", "byEmail", "aboutType", "aboutId", "aboutName",
      "changedFrom", "changedTo", address)
    select acting_time(), place.id, '${kind}', ${typeof what === 'string' ? `'${what}'` : what.sql}, ${by}, ${byId}, ${byEmail},
      '${type}', ${aboutId}, ${name}, ${from ?? 'null'}, ${to ?? 'null'}, acting('address')
    from ${places} as place;`
  return { when, insert }
}

/** Trims the trail to its bounds, after each entry `new`. */
export const BOUND = `delete from audit where "organizationId" is not distinct from new."organizationId" and kind = new.kind
    and number <= (
      select number from audit where "organizationId" is not distinct from new."organizationId" and kind = new.kind
      order by number desc limit 1 offset case new.kind ${Object.entries(AUDIT_ROWS)
        .map(([kind, rows]) => `when '${kind}' then ${rows}`)
        .join(' ')} end);`

/** Adds the triggers to a connection of SQLite. They are temporary, so that SQLite's command line has none. */
export function createAuditTriggers(database: Database, now: () => number): void {
  database.function(
    'acting',
    { deterministic: false },
    (what: unknown) => actorFacts(currentActor())[what as keyof ActorFacts] ?? null,
  )
  database.function('acting_time', { deterministic: false }, () => now())
  RULES.forEach((rule, index) => {
    const [change, table] = rule.on.split(' on ')
    const { when, insert } = noteOf(rule)
    database.exec(
      `create temp trigger audit_${index} after ${change} on main."${table}" when ${when} begin ${insert} end`,
    )
  })
  database.exec(`create temp trigger audit_bounds after insert on main.audit begin ${BOUND} end`)
}
