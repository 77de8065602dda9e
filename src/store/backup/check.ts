/** Proves that a restore would work: fetches everything into a temporary folder and checks it. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { requireGit } from '../git/git.ts'
import { type Logger, SILENT } from '../log.ts'
import { ACCOUNTS, type AccountsManifest } from './accounts.ts'
import { fetchAccounts, fetchObjects } from './fetch.ts'
import type { BackupRemote, RemoteFailure } from './remote.ts'
import { damaged } from './remote-git.ts'

/** What a restore would find; `empty`: nothing written yet, `failing`: it could not be looked at. */
export interface CheckResult {
  /** Of the organization, or {@link ACCOUNTS}. */
  id: string
  state: 'ok' | 'empty' | 'missing' | 'damaged' | 'failing'
  /** What is wrong, and what to do. */
  error?: string
}

interface CheckOptions {
  remote: BackupRemote
  /** Needs room for the largest repository and the accounts; emptied again. */
  folder: string
  log?: Logger
  signal: AbortSignal
}

/**
 * Checks the accounts and all organizations they name, one by one.
 * @param found called with each result, and the folder of the accounts: a data folder without repositories
 * @throws Failure `unsupported` without git, and the signal's reason
 */
export async function checkBackup(
  options: CheckOptions,
  found: (result: CheckResult, folder: string) => void,
): Promise<void> {
  await requireGit('A check of the backup')
  const folder = join(options.folder, 'data')
  await mkdir(folder, { mode: 0o700 })
  try {
    let manifest: AccountsManifest | undefined
    const { remote, signal } = options
    const accounts = await judge(options, ACCOUNTS, async () => {
      const fetched = await fetchAccounts(remote, folder, signal)
      if (!('reason' in fetched)) manifest = fetched
      return fetched
    })
    found(accounts, folder)
    for (const id of manifest?.organizations ?? []) {
      const result = await checkOne(options, id)
      found(result.state === 'missing' && manifest!.empty.includes(id) ? { id, state: 'empty' } : result, folder)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Checks one organization's repository, or the accounts alone. @throws the signal's reason */
export function checkOne(options: CheckOptions, id: string): Promise<CheckResult> {
  const { remote, signal } = options
  return judge(options, id, folder =>
    id === ACCOUNTS ? fetchAccounts(remote, folder, signal) : fetchObjects(remote, id, folder, signal),
  )
}

async function judge(
  { folder, log = SILENT, signal }: CheckOptions,
  id: string,
  fetch: (folder: string) => Promise<RemoteFailure | object>,
): Promise<CheckResult> {
  const place = join(folder, id)
  await rm(place, { recursive: true, force: true })
  await mkdir(place, { mode: 0o700 })
  try {
    const fetched = await fetch(place)
    signal.throwIfAborted()
    if (!('reason' in fetched)) return { id, state: 'ok' }
    log.warn({ id, git: fetched.words }, fetched.sentence)
    if (fetched.reason === 'missing') return { id, state: 'missing', error: missing(id) }
    if (fetched.reason === 'damaged') return { id, state: 'damaged', error: damaged(id) }
    return { id, state: 'failing', error: fetched.sentence }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Failure)) throw error
    log.warn({ id, err: error }, 'what the backup remote has cannot be restored')
    return { id, state: 'damaged', error: error.data.damaged ? damaged(id) : error.message }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const missing = (id: string) =>
  `The backup remote has no repository for ${id}, or an empty one: \`parlance server backup\`, or a server with BACKUP_REMOTE, pushes it.`
