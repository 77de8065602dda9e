/** The tables that the nodes share, but for those of the accounts. */
import { Failure } from '../bundle/errors.ts'
import type { ClusterConnection, ClusterDatabase } from './cluster-database.ts'

/** The version of these tables: raise it with every change, and add a step to {@link STEPS}. */
export const SCHEMA_VERSION = 2

/** Keys of the database's advisory locks, no two alike. */
export const LOCKS = {
  /** Held while a node changes the tables. */
  migrating: 7_265_626,
  /** Its holder runs the backup. */
  backup: 7_265_627,
  /** Shared by each append until its commit, so that none is under way while a node joins. */
  joining: 7_265_628,
  /** Its holder runs the jobs of machine translation. */
  jobs: 7_265_629,
}

/** Statements from each version of the tables to the next, counted from one. The first may find some tables. */
const STEPS = [
  `create table if not exists stream (id text primary key, seq bigint not null default 0) with (fillfactor = 50);
   alter table stream add column if not exists head text, add column if not exists base_seq bigint not null default 0,
     add column if not exists base_head text, add column if not exists removed boolean not null default false;
   create table record (stream text not null, seq bigint not null, id text not null, head text, frame bytea not null,
     primary key (stream, seq));
   alter table record alter frame set storage external;
   create table node (id text primary key, member text not null, url text not null,
     joined timestamptz not null default now(), seen timestamptz not null default now()) with (fillfactor = 50);
   create table cluster_member (id text primary key, url text not null, seen timestamptz not null default now());
   create table sealed (stream text not null, member text not null, seq bigint not null, primary key (stream, member))
     with (fillfactor = 50)`,
  // Without a default: a node of the version before does not set it, and cannot join any more. The index turns it into
  // a part of a key: `for key share` reads the present row only when a key has changed.
  `alter table node add column epoch bigint not null default 0;
   alter table node alter column epoch drop default;
   create unique index node_epoch on node (id, epoch)`,
]

/**
 * Creates the tables, or brings them to the present version.
 * @throws Failure `unavailable` when a newer Parlance has been here
 */
export async function migrate(engine: ClusterDatabase): Promise<void> {
  await engine.transaction('log', async connection => {
    await connection.query('select pg_advisory_xact_lock($1)', [LOCKS.migrating])
    await connection.query('create table if not exists cluster_setting (name text primary key, value text not null)')
    const version = Number((await setting(connection, 'schema')) ?? 0)
    if (version > SCHEMA_VERSION) {
      throw new Failure(
        'unavailable',
        `The tables of the cluster belong to a newer Parlance (version ${version}, this one knows ${SCHEMA_VERSION}): run that one.`,
      )
    }
    if (version === SCHEMA_VERSION) return
    for (const step of STEPS.slice(version)) await connection.query(step)
    await connection.query(
      `insert into cluster_setting values ('schema', $1) on conflict (name) do update set value = excluded.value`,
      [String(SCHEMA_VERSION)],
    )
  })
}

async function setting(connection: ClusterConnection, name: string): Promise<string | undefined> {
  const { rows } = await connection.query('select value from cluster_setting where name = $1', [name])
  return rows[0]?.value
}
