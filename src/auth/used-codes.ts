/** A code of the second factor signs in once (RFC 6238, 5.2): whoever looks over a shoulder must not come in by it. */
import { hash } from 'node:crypto'
import { readCookie } from './cookies.ts'
import type { Database } from './database.ts'
import { TWO_FACTOR_COOKIE } from './mount.ts'
import { Refusal } from './refusal.ts'

/** A code is good for a minute and a half by a clock that may jump back: it is kept for longer, by one that does not. */
const KEPT_MS = 86_400_000
/** About 150 bytes each. */
const MOST = 10_000

/** See the top of the file. */
export class UsedCodes {
  readonly #elapsed
  readonly #userOf
  /** When each was used, the longest ago first. */
  readonly #used = new Map<string, number>()

  /** @param elapsed milliseconds that never go back */
  constructor(database: Database, elapsed = () => performance.now()) {
    this.#elapsed = elapsed
    this.#userOf = database.prepare<[string], { value: string }>('select value from verification where identifier = ?')
  }

  /**
   * Hands the code of a sign-in that waits for one on to better-auth, unless it was used before.
   * @param cookieHeader tells which sign-in; better-auth looks at its signature
   * @throws Refusal 401
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
    // Before it is looked at, so that of two at once one is too late.
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
