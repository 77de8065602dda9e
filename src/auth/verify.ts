/** Checks SQLite's file and the secret without changing anything. */
import { copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { FILE, TABLES_VERSION } from './database.ts'
import { SHORTEST } from './secret.ts'

/** A fault; `path` is relative to the data folder. */
export interface AccountsFinding {
  severity: 'error' | 'warning' | 'note'
  path: string
  what: string
  todo: string
}

/** An organization; `used`: a token was used, so that it probably has a repository. */
export interface KnownOrganization {
  id: string
  slug: string
  used: boolean
}

const RESTORE = `Stop the server and put the file back from the backup: \`parlance server restore --data-dir <an empty folder>\` brings it.`
const SHOWN = 3

/**
 * @param running whether a server has the file open; otherwise a copy is checked, as opening the file leaves traces
 * @returns the known organizations, undefined when it cannot be read
 */
export async function verifyAccounts(
  dataDir: string,
  running: boolean,
  found: (finding: AccountsFinding) => void,
): Promise<KnownOrganization[] | undefined> {
  await verifySecret(dataDir, found)
  for (const name of [FILE, `${FILE}-wal`, `${FILE}-shm`]) await verifyMode(dataDir, name, found)
  const wrong = (what: string, todo = RESTORE) => found({ severity: 'error', path: FILE, what, todo })
  const scratch = running ? undefined : await mkdtemp(join(tmpdir(), 'parlance-verify-'))
  try {
    if (scratch) {
      await copyFile(join(dataDir, FILE), join(scratch, FILE))
      await copyFile(join(dataDir, `${FILE}-wal`), join(scratch, `${FILE}-wal`)).catch(missing)
    }
    const options = { readonly: running, fileMustExist: true, timeout: 5000 }
    const database = new Sqlite(join(scratch ?? dataDir, FILE), options)
    try {
      return verifyDatabase(database, wrong)
    } finally {
      database.close()
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const todo = 'Give the user that the server runs as the right to read and write it.'
    if (code === 'ENOENT') wrong('The file is missing, and with it all accounts.')
    else if (code === 'EACCES' || code === 'EPERM') wrong(`The file cannot be read (${code}).`, todo)
    else wrong(`SQLite cannot read the file: ${message}.`)
    return undefined
  } finally {
    if (scratch) await rm(scratch, { recursive: true, force: true })
  }
}

function verifyDatabase(database: Database, wrong: (what: string, todo?: string) => void): KnownOrganization[] {
  const checked = database.pragma(`integrity_check(${SHOWN})`) as { integrity_check: string }[]
  const faults = checked.map(row => row.integrity_check).join('; ')
  if (faults !== 'ok') wrong(`SQLite finds the file damaged: ${faults}.`)
  const orphans = database.pragma('foreign_key_check') as { table: string; parent: string }[]
  const kinds = [...new Set(orphans.map(({ table, parent }) => `${table} without ${parent}`))]
  if (orphans.length > 0) wrong(`${orphans.length} rows refer to rows that are gone: ${kinds.join(', ')}.`)
  const version = Number(database.pragma('user_version', { simple: true }))
  if (version > TABLES_VERSION) {
    const what = `The file was written by a newer Parlance (tables of version ${version}).`
    wrong(what, 'Run that version, or restore a backup.')
  }
  const rows = database
    .prepare<[], { id: string; slug: string; used: number }>(
      `select id, slug, exists (select 1 from api_token where organizationId = organization.id and lastUsedAt is not null) as used
       from organization order by createdAt, rowid`,
    )
    .all()
  return rows.map(row => ({ ...row, used: row.used === 1 }))
}

async function verifySecret(dataDir: string, found: (finding: AccountsFinding) => void): Promise<void> {
  const report = (severity: AccountsFinding['severity'], what: string, todo: string) =>
    found({ severity, path: 'secret', what, todo })
  try {
    const secret = await readFile(join(dataDir, 'secret'), 'utf8')
    if (secret.trim().length < SHORTEST) {
      const what = `The secret is shorter than ${SHORTEST} characters, and the server does not start with it.`
      report('error', what, 'Put it back, or remove the file: the server creates one, and everyone signs in again.')
    }
    await verifyMode(dataDir, 'secret', found)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') {
      const todo = 'Nothing: the next start creates one, and everyone signs in again.'
      report('note', 'There is no secret, as after a restore.', todo)
    } else {
      const todo = 'Give the user that the server runs as the right to read it.'
      report('error', `The secret cannot be read (${code}).`, todo)
    }
  }
}

/** It holds what others could sign in with. */
async function verifyMode(dataDir: string, path: string, found: (finding: AccountsFinding) => void): Promise<void> {
  const stats = await stat(join(dataDir, path)).catch(() => undefined)
  // Windows has no such modes.
  if (stats === undefined || process.platform === 'win32' || (stats.mode & 0o077) === 0) return
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
  const what = `Others than its owner may use the file: its mode is ${mode} in place of 0600.`
  found({ severity: 'warning', path, what, todo: `Run \`chmod 600 ${path}\` in the data folder.` })
}

function missing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
