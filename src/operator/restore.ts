/** `parlance restore`: a whole data folder from what a server pushed to its backup remote. */
import { Directory } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import { Remote } from '../remote.ts'
import { restoreDataFolder } from '../store/backup/restore.ts'
import type { Call } from './call.ts'
import type { Outcome } from './report.ts'

interface Options {
  from?: string
}

/** See the top of the file. */
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
  const secondFactors = locked(dataDir)
  return {
    text: [
      `Restored ${number} and the accounts of ${accountsAt} from ${remote} into ${dataDir}.`,
      'Start the server on it. Everyone signs in again, with the password they had; API tokens go on working.',
      ...(secondFactors.length > 0
        ? [
            `Before ${secondFactors.length === 1 ? '1 user' : `${secondFactors.length} users`} with a second factor can: put back data/secret, or run \`parlance user reset-two-factor\` for ${shown(secondFactors)}.`,
          ]
        : []),
    ].join('\n'),
    json: { dataDir, remote, accountsAt, organizations, secondFactors },
  }
}

/** Who cannot sign in without the secret of the lost server. */
function locked(dataDir: string): string[] {
  const directory = Directory.open(dataDir)
  try {
    return directory.secondFactors()
  } finally {
    directory.close()
  }
}

const SHOWN = 5

function shown(addresses: string[]): string {
  const more = addresses.length - SHOWN
  return [...addresses.slice(0, SHOWN), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
