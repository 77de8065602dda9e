/** A second factor's code signs in once (RFC 6238, 5.2), so that onlookers cannot use it. */
import { hash } from 'node:crypto'
import type { BetterAuth } from './better-auth.ts'
import { readCookie } from './cookies.ts'
import { TWO_FACTOR_COOKIE } from './mount.ts'
import { Refusal } from './refusal.ts'

/** Milliseconds. Each code is valid for 90 seconds of a clock that may jump back. */
const DAY = 86_400_000
/** The second of two equal ids, in SQLite and in PostgreSQL. */
const TWICE = /^(?:SQLITE_CONSTRAINT|23505)/

/**
 * Passes a waiting sign-in's code to better-auth, unless used before. A used code is a row of better-auth's table
 * `verification`, of the transaction of the sign-in. @throws Refusal 401
 * @param cookieHeader names the sign-in; better-auth checks its signature
 */
export async function useOnce(
  betterAuth: BetterAuth,
  cookieHeader: string,
  code: unknown,
  pass: () => Promise<Response>,
): Promise<Response> {
  const { adapter } = await betterAuth.$context
  const [waiting = ''] = readCookie(cookieHeader, TWO_FACTOR_COOKIE)?.split('.') ?? []
  const where = (field: string, value: string) => ({ model: 'verification', where: [{ field, value }] })
  const signIn = await adapter.findOne<{ value: string }>(where('identifier', waiting))
  if (signIn === null || typeof code !== 'string') return pass()
  const id = `used-code-${hash('sha256', `${signIn.value} ${code}`, 'base64url')}`
  const [now, end] = [new Date(), new Date(Date.now() + DAY)]
  const data = { id, identifier: id, value: '', expiresAt: end, createdAt: now, updatedAt: now }
  // Before checking, so that only the first of two counts.
  await adapter.create({ model: 'verification', data, forceAllowId: true }).catch(error => {
    if (!TWICE.test(String(error?.code))) throw error
    throw new Refusal(401, 'INVALID_CODE', 'This code was used before: wait for the next one that the app shows.')
  })
  const response = await pass()
  // A fault undoes the transaction.
  if (!response.ok) await adapter.delete(where('id', id)).catch(() => {})
  return response
}
