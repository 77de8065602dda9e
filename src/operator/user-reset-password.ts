/** `parlance user reset-password`: a new password, and the end of all sessions. */
import { Accounts } from '../auth/accounts.ts'
import { Directory } from '../auth/directory.ts'
import type { Call } from './call.ts'
import { newPassword } from './password.ts'
import type { Outcome } from './report.ts'

interface Options {
  email: string
  passwordStdin?: boolean
}

/** See the top of the file. */
export async function run({ config, options, terminal }: Call<Options>): Promise<Outcome> {
  // In a mistyped folder there is nobody to reset, and none must be made there.
  Directory.open(config.dataDir).close()
  const { password, generated } = await newPassword(terminal, options)
  const accounts = await Accounts.open(config.dataDir)
  try {
    const { sessionsEnded, ...user } = await accounts.resetPassword(options.email, password)
    const sessions = sessionsEnded === 1 ? '1 session' : `${sessionsEnded} sessions`
    return {
      text: [
        `${user.email} has a new password; ${sessions} ended.`,
        ...(generated ? [`Password, shown this once: ${password}`] : []),
      ].join('\n'),
      json: { user, sessionsEnded, ...(generated && { password }) },
    }
  } finally {
    accounts.close()
  }
}
