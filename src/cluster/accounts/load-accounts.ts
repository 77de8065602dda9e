/** What a node reads of the shared accounts: all of them at its start, later what has changed. */
import { randomBytes } from 'node:crypto'
import type { RunSql } from '../../auth/dialect.ts'
import { type AccountRow, type ChangedRows, REPLICATED } from './accounts-replica.ts'
import { inTransaction, type SharedAccountsOptions, type SharedClient } from './options.ts'
import { STREAM } from './postgres-tables.ts'
import { inNumbers } from './transfer.ts'

/** What is copied, as of the change of number `seq`. */
export interface LoadedAccounts {
  seq: number
  rows: ChangedRows
  columns: Map<string, string[]>
}

/** Reads all that is copied. */
export async function loadAccounts(options: SharedAccountsOptions, client: SharedClient): Promise<LoadedAccounts> {
  const { rows } = await client.query({ text: `select seq from stream where id = '${STREAM}'` })
  const loaded: LoadedAccounts = { seq: Number(rows[0]?.seq), rows: new Map(), columns: new Map() }
  for (const table of REPLICATED) {
    const { fields, rows } = await client.query({ text: `select * from "${table}"`, types: inNumbers(options.types) })
    loaded.columns.set(
      table,
      fields.map(({ name }) => name),
    )
    loaded.rows.set(table, new Map(rows.map(row => [String(row.id), row])))
  }
  return loaded
}

/**
 * Reads the rows that were changed after the change of number `since`.
 * @returns undefined when none was, and `too many` when the database no longer has all of them
 */
export async function readChanges(
  options: SharedAccountsOptions,
  client: SharedClient,
  since: number,
): Promise<Pick<LoadedAccounts, 'seq' | 'rows'> | 'too many' | undefined> {
  const text = `select stream.seq as newest, tab, key, change.seq from stream
    left join accounts_change change on change.seq > $1 where stream.id = '${STREAM}' order by change.seq`
  const { rows: changes } = await client.query({ text, values: [since] })
  const seq = Number(changes[0]?.newest)
  if (seq === since) return undefined
  if (Number(changes[0]?.seq) !== since + 1 || Number(changes.at(-1)?.seq) !== seq) return 'too many'
  const keys = new Map<string, Set<string>>()
  for (const { tab, key } of changes) keys.set(String(tab), (keys.get(String(tab)) ?? new Set()).add(String(key)))
  const changed: ChangedRows = new Map()
  for (const [table, ids] of keys) {
    const rows = new Map<string, AccountRow | undefined>([...ids].map(id => [id, undefined]))
    changed.set(table, rows)
    if (!REPLICATED.includes(table)) continue
    const text = `select * from "${table}" where id = any($1)`
    const now = await client.query({ text, values: [[...ids]], types: inNumbers(options.types) })
    for (const row of now.rows) rows.set(String(row.id), row)
  }
  return { seq, rows: changed }
}

/** Runs reads that all see one state. */
export const snapshotOf = <T>(options: SharedAccountsOptions, read: (client: SharedClient) => Promise<T>): Promise<T> =>
  inTransaction(options, 'begin isolation level repeatable read read only', read)

/** A secret that all nodes share, created by the first. */
export async function sharedSecret(run: RunSql, name: 'secret' | 'nodes'): Promise<string> {
  const own = randomBytes(32).toString('base64url')
  await run`insert into cluster_setting values (${name}, ${own}) on conflict (name) do nothing`
  const { rows } = await run<{ value: string }>`select value from cluster_setting where name = ${name}`
  return rows[0]!.value
}
