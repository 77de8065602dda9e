/** `parlance logout`: forgets the token of a server. */
import { credentialsFile, forgetToken } from '../config/credentials.ts'
import { shownUrl } from '../config/url.ts'
import type { Run } from '../context.ts'
import { usage } from '../problem.ts'

/** With `--json`: `{ url, forgotten }`. */
export const run: Run = async context => {
  const { url } = await context.settings()
  if (url.value === undefined) throw usage('Which server?', { hint: 'Give --url <address>.' })
  const address = shownUrl(url.value)
  const forgotten = forgetToken(context.env, address)
  await context.print({ url: address, forgotten }, () =>
    forgotten
      ? `The token of ${address} is forgotten here; it stays valid until somebody revokes it.`
      : `There is no token of ${address} in ${credentialsFile(context.env)}.`,
  )
}
