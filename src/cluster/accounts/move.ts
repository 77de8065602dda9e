/** Moves all accounts of a data folder into a PostgreSQL that several nodes share, or back; one of the two has them. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { FILE, migrateTables, openDatabase } from '../../auth/database.ts'
import { loadSecret } from '../../auth/secret.ts'
import { Failure } from '../../bundle/errors.ts'
import { inTransaction, type SharedAccountsOptions, type SharedClient } from './options.ts'
import { lock, MOVED, migrateShared, STREAM } from './postgres-tables.ts'
import {
  contentsOfPostgres,
  contentsOfSqlite,
  copyToPostgres,
  copyToSqlite,
  newAccounts,
  type TableDigests,
} from './transfer.ts'

/** Where to, or where from. */
type Shared = Pick<SharedAccountsOptions, 'pool' | 'types'>

/** What the branch of each organization's repository is at, null before its first commit. */
export type BranchHeads = ReadonlyMap<string, string | null>

/** What was moved; `kept` is the file that the accounts were in before. */
export interface MovedAccounts {
  contents: TableDigests
  kept?: string
}

/** A node says that it is there twice a second. */
const SILENT = "interval '10 seconds'"

/**
 * Moves the accounts of a data folder that no server runs on into an empty database, with the secret; the log of its
 * organizations begins at their `heads`. All or nothing.
 * @throws Failure `conflict` when the database has accounts, `unavailable`
 */
export async function moveToShared(
  dataDir: string,
  shared: Shared,
  heads: BranchHeads,
  time: string,
): Promise<MovedAccounts> {
  const source = openDatabase(dataDir)
  try {
    await migrateTables(source, async database => (await import('../../auth/better-auth.ts')).migrate(database))
    await migrateShared(shared)
    const contents = await alone(shared, async client => {
      const { rows } = await client.query({ text: 'select 1 from "user" union all select 1 from organization limit 1' })
      if (rows.length > 0) throw new Failure('conflict', 'That database has accounts already: move into an empty one.')
      const contents = await copyToPostgres(source, client)
      compare(contents, await contentsOfPostgres(client, shared.types, source))
      await client.query({
        text: `insert into cluster_setting values ('secret', $1) on conflict (name) do update set value = excluded.value`,
        values: [loadSecret(dataDir)],
      })
      await client.query({ text: `update stream set seq = seq + 1 where id = '${STREAM}'` })
      for (const [id, head] of heads) {
        const text = 'insert into stream (id, head, base_head) values ($1, $2, $2)'
        await client.query({ text, values: [id, head] })
      }
      return contents
    })
    source.pragma('wal_checkpoint(TRUNCATE)')
    source.close()
    const kept = `${FILE}.moved-${time.replaceAll(':', '-')}`
    renameSync(join(dataDir, FILE), join(dataDir, kept))
    return { contents, kept }
  } finally {
    source.close()
  }
}

/**
 * Moves the accounts back into a data folder without any. Its repositories must have all entries of the log. The rows
 * stay in the database, and no node starts with them any more.
 * @throws Failure `conflict` when the folder has accounts, or lacks what was written; `unavailable`
 */
export async function moveToFolder(
  dataDir: string,
  shared: Shared,
  heads: BranchHeads,
  time: string,
): Promise<MovedAccounts> {
  const [file, unfinished] = [join(dataDir, FILE), join(dataDir, `${FILE}.moving`)]
  if (existsSync(file)) throw new Failure('conflict', `${dataDir} has accounts already: ${FILE} is there.`)
  rmSync(unfinished, { force: true })
  closeSync(openSync(unfinished, 'wx', 0o600))
  const contents = await alone(shared, async client => {
    const { rows: streams } = await client.query({
      text: `select id, head from stream where id <> '${STREAM}' and not removed`,
    })
    const behind = streams.filter(({ id, head }) => (heads.get(String(id)) ?? null) !== head)
    if (behind.length > 0) {
      const words = `The repositories here lack the last writes of ${behind.map(({ id }) => id).join(', ')}: start a node on this folder, and stop it when \`parlance server cluster status\` shows no lag.`
      throw new Failure('conflict', words)
    }
    const target = await newAccounts(unfinished)
    try {
      const contents = await copyToSqlite(client, shared.types, target)
      compare(contents, await contentsOfSqlite(target))
      const { rows } = await client.query({ text: "select value from cluster_setting where name = 'secret'" })
      if (rows[0]) writeFileSync(join(dataDir, 'secret'), `${rows[0].value}\n`, { mode: 0o600, flush: true })
      const text = `insert into cluster_setting values ('${MOVED}', $1)`
      await client.query({ text, values: [time] })
      return contents
    } finally {
      target.close()
      durable(unfinished)
    }
  })
  renameSync(unfinished, file)
  durable(dataDir)
  return { contents }
}

function durable(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function compare(source: TableDigests, target: TableDigests): void {
  if (isDeepStrictEqual(source, target)) return
  const tables = Object.keys(source).filter(table => !isDeepStrictEqual(source[table], target[table]))
  throw new Failure('unavailable', `The copy is not the same, so nothing was moved: ${tables.join(', ')} differ.`)
}

/** Runs `move` in a transaction while no node runs. @throws Failure `conflict` when one does */
const alone = <T>(shared: Shared, move: (client: SharedClient) => Promise<T>): Promise<T> =>
  inTransaction(shared, `begin isolation level repeatable read; ${lock('tables')}`, async client => {
    const { rows } = await client.query({ text: `select url from node where seen > clock_timestamp() - ${SILENT}` })
    if (rows.length === 0) return move(client)
    throw new Failure('conflict', `Stop all nodes first: ${rows.map(({ url }) => url).join(', ')} still runs.`)
  })
