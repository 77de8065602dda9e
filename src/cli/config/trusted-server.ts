/** Whether a token may be sent to a server that nothing but the repository's own config names. */
import { Problem, usage } from '../problem.ts'
import type { Environment } from '../surroundings.ts'
import type { Ask } from '../terminal/ask.ts'
import { confirmServer, isKnownServer } from './credentials.ts'
import { CONFIG_FILE } from './file.ts'
import type { Settings } from './settings.ts'
import { isLoopback, shownUrl } from './url.ts'

/**
 * The author of a repository can write any address into its config. This machine and servers of earlier logins and
 * answers are trusted; for any other a person at a terminal decides.
 * @param token what would be sent, for the message
 * @throws Problem (exit 2) without a terminal
 */
export async function needTrustedServer(
  { env, ask, terminal }: { env: Environment; ask: Ask; terminal: { interactive: boolean } },
  { url: { value: url, origin } }: Pick<Settings, 'url'>,
  token: string,
): Promise<void> {
  if (url === undefined || origin !== CONFIG_FILE || isLoopback(url.hostname)) return
  const address = shownUrl(url)
  if (isKnownServer(env, address)) return
  if (!terminal.interactive) {
    throw usage(`${token} is not sent to ${address}, which this file alone names.`, {
      file: CONFIG_FILE,
      hint: `If that is your server, set PARLANCE_URL=${address}, as in CI. Or run the command at a terminal: it asks once.`,
    })
  }
  const question = `${CONFIG_FILE} names the server ${address}. Send ${token} there?`
  if (!(await ask.confirm(question, 'PARLANCE_URL'))) throw new Problem(`Nothing was sent to ${address}.`)
  await confirmServer(env, address)
}
