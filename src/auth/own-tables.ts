/** The accounts' tables beside better-auth's, in the words of either database. */

import { TOKEN_SCOPES } from './access.ts'

/** What SQLite and PostgreSQL call otherwise. */
export interface TableWords {
  serial: string
  integer: string
  blob: string
  /** 24 random hex digits. */
  randomId: string
  /** What ends a table. */
  end: string
}

/** SQLite's. */
export const SQLITE: TableWords = {
  serial: 'integer',
  integer: 'integer',
  blob: 'blob',
  randomId: '(lower(hex(randomblob(12))))',
  end: ') strict',
}

const SCOPES = TOKEN_SCOPES.map(scope => `'${scope}'`).join(', ')

/** The check of the scope of a token, PostgreSQL's name for it included. */
export const SCOPE_CHECK = `constraint api_token_scope_check check (scope in (${SCOPES}))`

/** API tokens. `createdBy*` is no foreign key: a token's maker stays known when gone. @param more further columns */
export const tokenTable = ({ integer, blob, end }: TableWords, more = ''): string => `
  create table if not exists api_token (
    id text primary key,
    "organizationId" text not null references organization (id) on delete cascade,
    name text not null,
    scope text not null ${SCOPE_CHECK},
    -- A JSON list of slugs, null for all.
    projects text,
    -- JSON of rights by language, null for all that the scope allows.
    rights text,
    start text not null,
    hash ${blob} not null unique,
    "createdAt" ${integer} not null,
    "createdById" text not null,
    "createdByName" text not null,
    "lastUsedAt" ${integer},
    "expiresAt" ${integer}${more}
  ${end};
  create index if not exists api_token_organization on api_token ("organizationId");
`

/** What each machine translator spent in a month (`2026-11`), as a whole number of its unit. */
export const machineTable = ({ integer, end }: TableWords): string => `
  create table if not exists machine_spent (
    id text primary key,
    month text not null,
    spent ${integer} not null
  ${end};
`

/** The ids of answers that are the refused texts of a language, for `like`. */
export const REFUSED = '%/refused'

/**
 * Jobs of machine translators, the answers that they wait to write, and the texts that the gate refused. Both are read
 * by {@link MachineJobs} alone.
 */
export const jobTables = ({ integer, end }: TableWords): string => `
  create table if not exists machine_job (
    id text primary key,
    "organizationId" text not null references organization (id) on delete cascade,
    project text not null,
    "startedAt" ${integer} not null,
    "endedAt" ${integer},
    state text not null check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
    -- The process that runs it: another one that takes over replaces it.
    runner text,
    -- JSON of what was asked for, by whom, and how far it is.
    job text not null
  ${end};
  create index if not exists machine_job_project on machine_job ("organizationId", project, "startedAt");
  create table if not exists machine_answer (
    -- Job, language, and a random name or "refused".
    id text primary key,
    job text not null references machine_job (id) on delete cascade,
    language text not null,
    -- JSON of the texts of one request.
    answers text not null
  ${end};
  create index if not exists machine_answer_job on machine_answer (job, language);
`

/** What a membership has of its own inbox. The row goes with the membership. */
export const inboxTable = ({ integer, end }: TableWords): string => `
  create table if not exists member_inbox (
    id text primary key references member (id) on delete cascade,
    -- The newest item that was read, and the time of its commit in seconds.
    "readTo" text,
    "readTime" ${integer},
    -- The key of the feed is derived from it and the secret of the server.
    "feedNonce" text,
    "feedTime" ${integer},
    digest ${integer} not null default 0,
    -- When the last digest was sent, in milliseconds, and the newest item then.
    "digestTime" ${integer},
    "digestTo" text
  ${end};
`

/**
 * The audit trail. `organizationId` is no foreign key: the operator may see deleted organizations.
 * @param more further columns of the hours
 */
export const auditTables = ({ serial, integer, randomId, end }: TableWords, more = ''): string => `
  create table if not exists audit (
    number ${serial} primary key,
    id text not null unique default ${randomId},
    time ${integer} not null,
    "organizationId" text,
    kind text not null check (kind in ('act', 'session', 'failure')),
    what text not null,
    "by" text not null check ("by" in ('user', 'operator', 'nobody')),
    "byId" text,
    "byEmail" text,
    "aboutType" text,
    "aboutId" text,
    "aboutName" text,
    "changedFrom" text,
    "changedTo" text,
    address text
  ${end};
  create index if not exists audit_organization on audit ("organizationId", number);
  create index if not exists audit_kind on audit ("organizationId", kind, number);
  -- The newest entry there was when a server had run for one more hour.
  create table if not exists audit_hour (number ${serial} primary key, newest text not null${more}${end};
`
