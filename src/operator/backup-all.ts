/** Pushes a data folder that no server has open to its backup remote, once. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Auth } from '../auth/auth.ts'
import { Failure } from '../bundle/errors.ts'
import type { Config } from '../config.ts'
import { Backup, type PushResult } from '../store/backup/backup.ts'
import { migrateDataFolder } from '../store/data-folder.ts'
import { lockDataFolder } from '../store/lock.ts'
import { type Logger, SILENT } from '../store/log.ts'
import { Store } from '../store/store.ts'

/** What is pushed, and who hears of it. */
export interface BackupAllOptions {
  config: Config
  log?: Logger
  /** Called as each repository is through. */
  tell?: (result: PushResult) => void
  /** Ends it; what is not pushed by then is told as failing. */
  signal?: AbortSignal
}

/**
 * Pushes every organization, changed or not, and the accounts; how each did is in the results, the accounts last.
 * @throws Failure `invalid` without a BACKUP_REMOTE, or with one in the data folder; `not-found` when there is no data;
 *   `unavailable` when a server has it open; `unsupported` without a git
 */
export async function backupAll({ config, log = SILENT, tell, signal }: BackupAllOptions): Promise<PushResult[]> {
  const { dataDir, backupRemote: remote } = config
  if (remote === undefined) throw new Failure('invalid', 'Set BACKUP_REMOTE to where the backup is to go.')
  if (!existsSync(join(dataDir, 'parlance.sqlite'))) {
    throw new Failure('not-found', `There is no data of a Parlance server in ${dataDir}: set DATA_DIR.`)
  }
  const lock = lockDataFolder(dataDir)
  const closers: (() => Promise<void> | void)[] = [() => lock.release()]
  try {
    await migrateDataFolder(dataDir)
    const directory = join(dataDir, 'organizations')
    const store = await Store.open({ directory, watch: false, log })
    closers.unshift(() => store.close())
    const auth = await Auth.open({ dataDir, signUp: 'closed', rateLimit: false, log })
    closers.unshift(() => auth.close())
    const backup = await Backup.open({ remote, dataDir, store, directory, accounts: auth, log, delays: { grace: 0 } })
    closers.unshift(() => backup.close())
    const stop = () => void backup.close()
    signal?.addEventListener('abort', stop)
    return await backup.pushAll(tell).finally(() => signal?.removeEventListener('abort', stop))
  } finally {
    for (const close of closers) await close()
  }
}
