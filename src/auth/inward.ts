/** What better-auth gets of a request: headers that claim nothing but what is so, and bodies that ask for nothing that is not offered. */
import type { Body } from './body.ts'
import { CLIENT_ADDRESS_HEADER } from './mount.ts'
import { Refusal } from './refusal.ts'
import { ownOrigins } from './same-origin.ts'

/** better-auth would ask no code of a device for a month, which no change of the password ends. */
export function refuseTrustedDevice({ trustDevice }: Record<string, unknown> = {}): void {
  if (trustDevice === undefined || trustDevice === false) return
  throw new Refusal(400, 'VALIDATION_ERROR', 'No device is trusted for longer here: leave trustDevice out.')
}

/** Whoever changes a password may do it because somebody else knows it: the other sessions end, whatever the client asked for. */
export function endingOtherSessions({ members }: Body): Body {
  const forced = { ...members, revokeOtherSessions: true }
  return { members: forced, text: JSON.stringify(forced) }
}

/** better-auth hands what it is given as a name or a picture to SQLite, which takes texts and numbers and fails at all else. */
export function refuseOddProfile({ name, image }: Record<string, unknown> = {}): void {
  if (name !== undefined && typeof name !== 'string') {
    throw new Refusal(400, 'VALIDATION_ERROR', 'The name must be a text.')
  }
  if (image !== undefined && image !== null && typeof image !== 'string') {
    throw new Refusal(400, 'VALIDATION_ERROR', 'The image must be a URL or null.')
  }
}

/**
 * The headers as better-auth gets them: nothing in them claims an address or host but ours. A request with neither Sec-Fetch-Site, Origin nor Referer
 * is no browser's (browsers name the origin of every POST), so it is vouched for: better-auth alone would turn a curl with a cookie jar away, and takes
 * the lone Sec-Fetch-Mode of Node's own fetch for a browser that hides its origin.
 */
export function innerHeaders(outer: Headers, host: string, clientAddress: string): Headers {
  const headers = new Headers(outer)
  for (const name of [...headers.keys()]) if (name.startsWith('x-forwarded-')) headers.delete(name)
  headers.delete('forwarded')
  headers.delete('content-length')
  headers.set('host', host)
  headers.set(CLIENT_ADDRESS_HEADER, clientAddress)
  if (!headers.has('sec-fetch-site') && !headers.has('origin')) {
    headers.delete('sec-fetch-mode')
    headers.delete('sec-fetch-dest')
    const own = ownOrigins(headers)[0]
    if (!headers.has('referer') && own !== undefined) headers.set('origin', own)
  }
  return headers
}
