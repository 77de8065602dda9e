/**
 * Writes of our own beside better-auth's on the one connection to SQLite. A transaction of better-auth's stays open while it hashes a
 * password, and whatever is written on the connection meanwhile belongs to it: lost when it is rolled back or the server killed before
 * its end, a revoked token included.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../bundle/errors.ts'
import type { Database } from './database.ts'

const STEP_MS = 2
/** A transaction lasts as long as a hash or two. */
const LONGEST_MS = 10_000

/** See the top of the file. */
export class OwnWrites {
  readonly #database: Database
  #waiting = 0

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Runs a write, which must be synchronous, when no transaction is open: it is on the disk when it resolves.
   * @throws Failure `unavailable` when there is no such moment for long
   */
  async run<T>(write: () => T): Promise<T> {
    const until = performance.now() + LONGEST_MS
    this.#waiting++
    try {
      while (this.#database.inTransaction) {
        if (performance.now() >= until) throw busy()
        await pause(STEP_MS)
      }
      return write()
    } finally {
      this.#waiting--
    }
  }

  /** Resolves when no write of ours waits: to be awaited before better-auth begins anything, or its transactions would follow each other without a gap. */
  async through(): Promise<void> {
    while (this.#waiting > 0) await pause(STEP_MS)
  }
}

function busy(): Failure {
  return new Failure('unavailable', 'Too many accounts are being changed just now; try again in a moment.', {
    retryAfter: 1,
  })
}
