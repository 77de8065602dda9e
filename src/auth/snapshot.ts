/** A backup's copy of the accounts, with nothing short-lived or letting anyone in. */
import { createHash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { nextTurn } from '../scheduling/slices.ts'
import { REFUSED } from './own-tables.ts'

/** What a copy holds. */
export interface AccountsSnapshot {
  /** SHA-256 of all rows in hex, not of the file's bytes. */
  digest: string
  /** Ids, sorted. */
  organizations: string[]
}

/** Hashed at once: about a millisecond. */
const ROWS_AT_ONCE = 500

/**
 * Writes the copy (mode 0600) of accounts in use, without sessions, sign-ins, pending verifications, times of last
 * use and other services' tokens. Second factors need DATA_DIR/secret: without it an operator must reset them, which is
 * safer than dropping them.
 * @param fill copies all rows into the file
 * @param file must not exist
 * @param known a digest; when the copy has the same, the file is left unfinished
 */
export async function snapshotAccounts(
  fill: () => Promise<unknown>,
  file: string,
  known?: string,
): Promise<AccountsSnapshot> {
  closeSync(openSync(file, 'wx', 0o600))
  await fill()
  const copy = new Sqlite(file)
  try {
    copy.pragma('journal_mode = DELETE')
    copy.exec(FORGET)
    const digest = await digestOf(copy)
    const organizations = copy.prepare<[], { id: string }>('select id from organization order by id').all()
    // Deleted rows linger in free pages.
    if (digest !== known) copy.exec('vacuum')
    return { digest, organizations: organizations.map(({ id }) => id) }
  } finally {
    copy.close()
  }
}

const FORGET = `
  delete from session;
  delete from verification;
  update account set accessToken = null, refreshToken = null, idToken = null;
  update api_token set lastUsedAt = null;
  update twoFactor set failedVerificationCount = 0, lockedUntil = null;
  delete from audit where kind <> 'act';
  delete from audit_hour;
  delete from machine_answer
    where id not like '${REFUSED}' or job in (select id from machine_job where endedAt is null);
  delete from machine_job where endedAt is null;
`

async function digestOf(database: Database): Promise<string> {
  const hash = createHash('sha256')
  const tables = database
    .prepare<[], { name: string; sql: string }>(
      "select name, sql from sqlite_schema where type = 'table' order by name",
    )
    .all()
  for (const { name, sql } of tables) {
    hash.update(`${JSON.stringify([name, sql])}\n`)
    let rows = 0
    for (const row of database.prepare<[], unknown[]>(`select * from "${name}" order by rowid`).raw().iterate()) {
      hash.update(`${JSON.stringify(row)}\n`)
      if (++rows % ROWS_AT_ONCE === 0) await nextTurn()
    }
  }
  return hash.digest('hex')
}

/** These tables hold nothing short-lived. */
export const KEPT = [
  'user',
  'account',
  'organization',
  'member',
  'invitation',
  'api_token',
  'twoFactor',
  'member_inbox',
]

/** The updates that count where not all do: those of tokens note their use, those of an inbox what was read. */
const UPDATES: Record<string, string> = { api_token: '', member_inbox: 'update of "feedNonce", digest' }

/** Counts the changes that snapshots show, so that nothing is copied twice: not sessions and times of last use. */
export function countChanges(database: Database): () => number {
  database.exec('create temp table kept_changes (number integer); insert into kept_changes values (0)')
  for (const table of KEPT) {
    for (const event of ['insert', UPDATES[table] ?? 'update', 'delete'].filter(event => event !== '')) {
      const name = `kept_${table}_${event.split(' ')[0]}`
      database.exec(`create temp trigger ${name} after ${event} on main."${table}"
        begin update kept_changes set number = number + 1; end`)
    }
  }
  const own = database.prepare<[], { number: number }>('select number from kept_changes')
  // Of other programs, such as `parlance server user`, SQLite says only that they wrote.
  return () => Number(database.pragma('data_version', { simple: true })) * 2 ** 32 + own.get()!.number
}
