/**
 * A node's lease: as long as it has one, it has heard of every write that was acknowledged anywhere. No clocks of
 * different machines are compared.
 */

/** How long a lease lasts, from before its renewal was asked for. */
export const LEASE_MS = 2000
/** After this time every earlier lease is over, with an allowance for clocks of different speed. */
export const SILENCE_MS = 2400

/** A moment by both clocks: one stands still while the machine sleeps, people set the other. */
export interface Moment {
  steady: number
  wall: number
}

/** The source of time; tests have their own. */
export interface Clock {
  steady(): number
  wall(): number
}

const CLOCK: Clock = { steady: () => performance.now(), wall: () => Date.now() }

/** See the top of the file. */
export class Lease {
  readonly #clock: Clock
  /** Before the last renewal was asked for: all that was acknowledged by then is known here. */
  #since: Moment | undefined
  #isInDoubt = false
  /** Renewals after the lease had ended. */
  leaseLosses = 0

  constructor(clock: Clock = CLOCK) {
    this.#clock = clock
  }

  now(): Moment {
    return { steady: this.#clock.steady(), wall: this.#clock.wall() }
  }

  /** Milliseconds since a moment, by the clock that says more. */
  elapsed(since: Moment): number {
    return Math.max(this.#clock.steady() - since.steady, this.#clock.wall() - since.wall)
  }

  get isValid(): boolean {
    return !this.#isInDoubt && this.age < LEASE_MS
  }

  /** For how many milliseconds nothing may have been heard; infinite before the first renewal. */
  get age(): number {
    return this.#since === undefined ? Number.POSITIVE_INFINITY : this.elapsed(this.#since)
  }

  /** @param asked before the renewal was asked for */
  extend(asked: Moment): void {
    if (!this.isValid) this.leaseLosses++
    this.#isInDoubt = false
    if (this.#since === undefined || this.elapsed(asked) < this.elapsed(this.#since)) this.#since = asked
  }

  /** The log cannot be read: the lease counts as ended until its next renewal. Its age is still known. */
  doubt(): void {
    this.#isInDoubt = true
  }

  /** The node is leaving: what others write from now on is not waited for here. */
  end(): void {
    this.#since = undefined
  }
}
