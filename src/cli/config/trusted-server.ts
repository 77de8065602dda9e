/** Decides whether a server of the repository's config gets a token. */
import { Problem, usage } from '../problem.ts'
import type { Environment } from '../surroundings.ts'
import type { Ask } from '../terminal/ask.ts'
import { confirmServer, isKnownServer } from './credentials.ts'
import { CONFIG_FILE } from './file.ts'
import type { Settings } from './settings.ts'
import { isLoopback, shownUrl } from './url.ts'

/**
 * The author of a repository can write any address into its config. This machine and servers of earlier logins and
 * answers are trusted. For other servers a person at a terminal decides.
 * @param token its name, for the message
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
    throw usage(`${token} is not sent to ${address}: only this file names that server.`, {
      file: CONFIG_FILE,
      hint: `If that is your server, set PARLANCE_URL=${address}, as in CI. Or run this at a terminal: it asks once.`,
    })
  }
  const question = `${CONFIG_FILE} names the server ${address}. Send ${token} there?`
  if (!(await ask.confirm(question, 'PARLANCE_URL'))) throw new Problem(`Nothing was sent to ${address}.`)
  await confirmServer(env, address)
}
