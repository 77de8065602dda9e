/** A code of the second factor signs in once (RFC 6238, 5.2): whoever looks over a shoulder must not come in by it right after. */
import { hash } from 'node:crypto'
import type { Database } from './database.ts'
import { COOKIE_PREFIX } from './mount.ts'
import { Refusal } from './refusal.ts'

/** better-auth takes the codes of three half minutes: the present one, the one before, the next. */
const GOOD_FOR_MS = 90_000
/** About 150 bytes each. */
const MOST = 10_000

const WAITING = new RegExp(`(?:^|;)\\s*${COOKIE_PREFIX}\\.two_factor=([^;.]+)`)

/** See the top of the file. */
export class UsedCodes {
  readonly #now
  readonly #userOf
  /** When each was used, the longest ago first. */
  readonly #used = new Map<string, number>()

  /** @param now milliseconds since 1970 */
  constructor(database: Database, now: () => number) {
    this.#now = now
    this.#userOf = database.prepare<[string], { value: string }>('select value from verification where identifier = ?')
  }

  /**
   * Hands the code of a sign-in that waits for one on to better-auth, unless it was used before.
   * @param cookieHeader tells which sign-in; better-auth looks at its signature
   * @throws Refusal 401
   */
  async once(cookieHeader: string, code: unknown, pass: () => Promise<Response>): Promise<Response> {
    const user = this.#userOf.get(WAITING.exec(cookieHeader)?.[1] ?? '')?.value
    if (user === undefined || typeof code !== 'string') return pass()
    const key = hash('sha256', `${user} ${code}`, 'base64url')
    this.#forgetOld()
    if (this.#used.has(key)) {
      throw new Refusal(401, 'INVALID_CODE', 'This code was used before: wait for the next one that the app shows.')
    }
    // Before it is looked at, so that of two at once one is too late.
    this.#used.set(key, this.#now())
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
    const now = this.#now()
    for (const [key, time] of this.#used) {
      if (now - time < GOOD_FOR_MS && now >= time && this.#used.size < MOST) return
      this.#used.delete(key)
    }
  }
}
