/** `parlance restore`: a whole data folder from what a server pushed to its backup remote. */
import { Failure } from '../bundle/errors.ts'
import { Remote } from '../remote.ts'
import { restoreDataFolder } from '../store/backup/restore.ts'
import type { Call } from './call.ts'
import type { Outcome } from './report.ts'

interface Options {
  from?: string
}

export async function run({ config, options, report, terminal }: Call<Options>): Promise<Outcome> {
  const { dataDir } = config
  const remote = options.from === undefined ? config.backupRemote : Remote.parse(options.from, '--from')
  if (remote === undefined) {
    throw new Failure(
      'invalid',
      'Set BACKUP_REMOTE to where the backup is, or give --from where that holds no password.',
    )
  }
  const progress = (_: unknown, done: number, of: number) => report.progress(`${done} of ${of} organizations are here`)
  const restored = await restoreDataFolder({ remote, dataDir, log: report.log, signal: terminal.stop, progress })
  const { accountsAt, organizations } = restored
  const number = organizations.length === 1 ? '1 organization' : `${organizations.length} organizations`
  return {
    text: [
      `Restored ${number} and the accounts of ${accountsAt} from ${remote} into ${dataDir}.`,
      'Start the server on it. Everyone signs in again, with the password they had; API tokens go on working.',
    ].join('\n'),
    json: { dataDir, remote, accountsAt, organizations },
  }
}
