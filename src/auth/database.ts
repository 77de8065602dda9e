/** DATA_DIR/parlance.sqlite: how it is opened, and the table and index that better-auth's migrations do not make. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, Sqlite } from '../sqlite.ts'

export type { Database } from '../sqlite.ts'

/**
 * Opens the database, made with mode 0600 (SQLite gives its -wal and -shm files the same): it holds password hashes and sessions.
 * Not yet durable against a power cut, see {@link makeDurable}.
 */
export function openDatabase(dataDir: string): Database {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, 'parlance.sqlite')
  closeSync(openSync(file, 'a', 0o600))
  const database = new Sqlite(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.pragma('foreign_keys = ON')
  database.pragma('busy_timeout = 5000')
  return database
}

/**
 * From here on every commit is on the disk when it returns: a revoked token or a removed member must not come back with a power cut, and
 * such writes are rare enough for an fsync each. Migrations go before it, since a table that is lost is made again at the next start.
 */
export function makeDurable(database: Database): void {
  database.pragma('synchronous = FULL')
}

/**
 * Adds what better-auth lacks, after its own tables are there: one membership per user and organization, and the API tokens.
 * `createdBy*` of a token is a record of the moment and no foreign key: who minted it stays known when the user is gone.
 */
export function addOwnTables(database: Database): void {
  database.exec(`
    create unique index if not exists member_once on member (organizationId, userId);
    create table if not exists api_token (
      id text primary key,
      organizationId text not null references organization (id) on delete cascade,
      name text not null,
      scope text not null check (scope in ('read', 'write')),
      start text not null,
      hash blob not null unique,
      createdAt integer not null,
      createdById text not null,
      createdByName text not null,
      lastUsedAt integer,
      expiresAt integer
    ) strict;
    create index if not exists api_token_organization on api_token (organizationId);
  `)
}
