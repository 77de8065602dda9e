/** `parlance logout`: removes the token of a server, and the permission to send PARLANCE_TOKEN to it. */
import { credentialsFile, forgetServer } from '../config/credentials.ts'
import { shownUrl } from '../config/url.ts'
import type { Run } from '../context.ts'
import { usage } from '../problem.ts'

/** With `--json`: `{ url, forgotten }`. */
export const run: Run = async context => {
  const { url } = await context.settings()
  if (url.value === undefined) throw usage('Which server?', { hint: 'Give --url <address>.' })
  const address = shownUrl(url.value)
  const { token, confirmed } = await forgetServer(context.env, address)
  await context.print({ url: address, forgotten: token || confirmed }, () => {
    if (token) return `The token of ${address} is forgotten here; it stays valid until an owner or admin revokes it.`
    if (confirmed) return `PARLANCE_TOKEN is no longer sent to ${address} unasked.`
    return `There is no token of ${address} in ${credentialsFile(context.env)}.`
  })
}
