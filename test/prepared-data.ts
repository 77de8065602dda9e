/** Data folders with the accounts' tables in them: to migrate is a third of what a server's start costs a test. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateTables, openDatabase } from '../src/auth/database.ts'
import { DATA_VERSION, VERSION_FILE } from '../src/store/data-folder.ts'

/** `npm test` creates it empty. A file that runs alone migrates for itself. */
const { PREPARED_DATA } = process.env

let migrated: Promise<Buffer> | undefined

/** Creates the data folder of a first start, without its secret. */
export async function prepareData(dataDir: string): Promise<void> {
  const database = await (migrated ??= migratedDatabase())
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, VERSION_FILE), `${DATA_VERSION}\n`)
  writeFileSync(join(dataDir, 'parlance.sqlite'), database, { mode: 0o600 })
}

/** An empty `parlance.sqlite` with all tables, migrated by the first process of a run that wants one. */
async function migratedDatabase(): Promise<Buffer> {
  const kept = PREPARED_DATA && join(PREPARED_DATA, 'parlance.sqlite')
  if (kept && existsSync(kept)) return readFileSync(kept)
  const folder = mkdtempSync(join(tmpdir(), 'parlance-migrated-'))
  const database = openDatabase(folder)
  await migrateTables(database, async () => (await import('../src/auth/better-auth.ts')).migrate(database))
  const bytes = database.serialize()
  database.close()
  rmSync(folder, { recursive: true })
  if (kept) {
    writeFileSync(`${kept}.${process.pid}`, bytes)
    renameSync(`${kept}.${process.pid}`, kept)
  }
  return bytes
}
