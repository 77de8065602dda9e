/** A second factor's code signs in once (RFC 6238, 5.2), so that onlookers cannot use it. */
import { hash } from 'node:crypto'
import { byteCache } from '../scheduling/byte-cache.ts'
import { readCookie } from './cookies.ts'
import type { Engine, UsedCodes } from './engine.ts'
import { TWO_FACTOR_COOKIE } from './mount.ts'
import { Refusal } from './refusal.ts'

/** Maximum codes in memory: each is valid for 90 seconds of a clock that may jump back. */
const MOST = 10_000
/** Of each. */
const BYTES = 150

/**
 * Passes a waiting sign-in's code to better-auth, unless used before. @throws Refusal 401
 * @param cookieHeader names the sign-in; better-auth checks its signature
 */
export async function useOnce(
  engine: Pick<Engine, 'query' | 'codes'>,
  cookieHeader: string,
  code: unknown,
  pass: () => Promise<Response>,
): Promise<Response> {
  const [waiting = ''] = readCookie(cookieHeader, TWO_FACTOR_COOKIE)?.split('.') ?? []
  const { rows } = await engine.query(
    run => run<{ value: string }>`select value from verification where identifier = ${waiting}`,
  )
  const user = rows[0]?.value
  if (user === undefined || typeof code !== 'string') return pass()
  const key = hash('sha256', `${user} ${code}`, 'base64url')
  // Before checking, so that only the first of two counts.
  if (!(await engine.codes.take(key))) {
    throw new Refusal(401, 'INVALID_CODE', 'This code was used before: wait for the next one that the app shows.')
  }
  let good = false
  try {
    const response = await pass()
    good = response.ok
    return response
  } finally {
    if (!good) await engine.codes.release(key)
  }
}

/** Used codes of a single server: the newest, in order of use and not by the clock. */
export function codesInMemory(): UsedCodes {
  const used = byteCache<true>(MOST * BYTES)
  return {
    async take(key) {
      if (used.has(key)) return false
      used.set(key, true, { size: BYTES })
      return true
    },
    async release(key) {
      used.delete(key)
    },
  }
}
