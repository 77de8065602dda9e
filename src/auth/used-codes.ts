/** A second factor's code signs in once (RFC 6238, 5.2), so that onlookers cannot use it. */
import { hash } from 'node:crypto'
import { readCookie } from './cookies.ts'
import type { Database } from './database.ts'
import { TWO_FACTOR_COOKIE } from './mount.ts'
import { Refusal } from './refusal.ts'

/** A code is valid for 90 seconds of a clock that may jump back: kept longer, by one that does not. */
const KEPT_MS = 86_400_000
/** About 150 bytes each. */
const MOST = 10_000

/** See the top of the file. */
export class UsedCodes {
  readonly #elapsed
  readonly #userOf
  /** Oldest first. */
  readonly #used = new Map<string, number>()

  /** @param elapsed monotonic milliseconds */
  constructor(database: Database, elapsed = () => performance.now()) {
    this.#elapsed = elapsed
    this.#userOf = database.prepare<[string], { value: string }>('select value from verification where identifier = ?')
  }

  /**
   * Passes a waiting sign-in's code to better-auth, unless used before. @throws Refusal 401
   * @param cookieHeader names the sign-in; better-auth checks its signature
   */
  async once(cookieHeader: string, code: unknown, pass: () => Promise<Response>): Promise<Response> {
    const [waiting = ''] = readCookie(cookieHeader, TWO_FACTOR_COOKIE)?.split('.') ?? []
    const user = this.#userOf.get(waiting)?.value
    if (user === undefined || typeof code !== 'string') return pass()
    const key = hash('sha256', `${user} ${code}`, 'base64url')
    this.#forgetOld()
    if (this.#used.has(key)) {
      throw new Refusal(401, 'INVALID_CODE', 'This code was used before: wait for the next one that the app shows.')
    }
    // Before checking, so that only the first of two counts.
    this.#used.set(key, this.#elapsed())
    let good = false
    try {
      const response = await pass()
      good = response.ok
      return response
    } finally {
      if (!good) this.#used.delete(key)
    }
  }

  #forgetOld(): void {
    const now = this.#elapsed()
    for (const [key, time] of this.#used) {
      if (now - time < KEPT_MS && this.#used.size < MOST) return
      this.#used.delete(key)
    }
  }
}
