/** `parlance user reset-two-factor`: the password alone signs in again, and all sessions end. */
import { Accounts } from '../auth/accounts.ts'
import { Directory } from '../auth/directory.ts'
import type { Call } from './call.ts'
import type { Outcome } from './report.ts'

/** See the top of the file. */
export async function run({ config, options }: Call<{ email: string }>): Promise<Outcome> {
  // In a mistyped folder there is nobody to reset, and none must be made there.
  Directory.open(config.dataDir).close()
  const accounts = await Accounts.open(config.dataDir)
  try {
    const { sessionsEnded, ...user } = await accounts.resetTwoFactor(options.email)
    const sessions = sessionsEnded === 1 ? '1 session' : `${sessionsEnded} sessions`
    return {
      text: `${user.email} has no second factor any more; ${sessions} ended.`,
      json: { user, sessionsEnded },
    }
  } finally {
    accounts.close()
  }
}
