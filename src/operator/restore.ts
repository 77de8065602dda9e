/** `parlance server restore`: a whole data folder from a server's backup remote. */
import { listSecondFactors, withDirectory } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import { counted } from '../cli/terminal/table.ts'
import { BackupRemote } from '../store/backup/remote.ts'
import { restoreDataFolder } from '../store/backup/restore.ts'
import type { CommandCall, OperatorResult } from './report.ts'

interface Options {
  from?: string
}

export async function run({ config, options, report, terminal }: CommandCall<Options>): Promise<OperatorResult> {
  const { dataDir } = config
  const remote = options.from === undefined ? config.backupRemote : BackupRemote.parse(options.from, '--from')
  if (remote === undefined) {
    throw new Failure(
      'invalid',
      'Set BACKUP_REMOTE to where the backup is, or give --from where that holds no password.',
    )
  }
  const progress = (_: unknown, done: number, of: number) => report.progress(`${done} of ${of} organizations are here`)
  const restored = await restoreDataFolder({ remote, dataDir, log: report.log, signal: terminal.stop, progress })
  const { accountsAt, organizations } = restored
  // They cannot sign in without the lost server's secret.
  const secondFactors = await withDirectory(dataDir, listSecondFactors)
  return {
    text: [
      `Restored ${counted(organizations.length, 'organization')} and the accounts of ${accountsAt} from ${remote} into ${dataDir}.`,
      'Start the server on it. Everyone signs in again, with the password they had; API tokens go on working.',
      ...(secondFactors.length > 0
        ? [
            `Before ${counted(secondFactors.length, 'user')} with a second factor can: put back data/secret, or run \`parlance server user reset-two-factor\` for ${shown(secondFactors)}.`,
          ]
        : []),
    ].join('\n'),
    json: { dataDir, remote, accountsAt, organizations, secondFactors },
  }
}

const SHOWN = 5

function shown(addresses: string[]): string {
  const more = addresses.length - SHOWN
  return [...addresses.slice(0, SHOWN), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
