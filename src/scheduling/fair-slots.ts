/** A semaphore with a bounded, fair queue: the claimant with the fewest slots comes first. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Claimant, FairShares } from './fair-shares.ts'

/** The holder of a slot. All without a claimant count as one. */
export interface SlotHolder {
  claimant?: Claimant | undefined
  /** Ends the work early because others wait. Undefined: the work cannot be ended. */
  cut?: () => void
  /** Recent bytes a second of the client; undefined while the server is the slower side. */
  pace?: () => number | undefined
}

/** Milliseconds that a claimant waits before another one loses its slot. */
const SLOT_TIMEOUTS = {
  /** A slow holder, of a claimant with more slots than the waiting one. */
  slow: 2_000,
  /** Any holder of such a claimant. */
  shares: 20_000,
  /** A stalled holder of any claimant. */
  stalled: 30_000,
}
export type SlotTimeouts = typeof SLOT_TIMEOUTS

/** Bytes a second. */
const SLOW = 128 * 1024
const STALLED = 4 * 1024
const LOOK_MS = 500
const NOBODY: Claimant = { organization: '', credential: '' }

interface Slot {
  claimant: Claimant
  holder: SlotHolder
  /** When the wait, then the slot began (`performance.now()`). */
  since: number
  /** Ends the wait: with a slot, or without one because it gives way. */
  enter: (has: boolean) => void
}

export class FairSlots {
  readonly #atOnce: number
  readonly #mayWait: number
  readonly #timeouts: SlotTimeouts
  readonly #waiting = new Set<Slot>()
  readonly #running = new Set<Slot>()
  readonly #has = new FairShares()
  readonly #waits = new FairShares()

  constructor(atOnce: number, mayWait: number, timeouts = SLOT_TIMEOUTS) {
    this.#atOnce = atOnce
    this.#mayWait = mayWait
    this.#timeouts = timeouts
  }

  get load(): { running: number; waiting: number } {
    return { running: this.#running.size, waiting: this.#waiting.size }
  }

  /**
   * Resolves with the function that releases the slot. Undefined when the caller gives way, or the queue is full.
   * @throws the signal's reason when it aborts before the slot is free
   */
  async acquire(signal?: AbortSignal, holder: SlotHolder = {}): Promise<(() => void) | undefined> {
    signal?.throwIfAborted()
    const slot: Slot = { claimant: holder.claimant ?? NOBODY, holder, since: performance.now(), enter: () => {} }
    if (this.#running.size < this.#atOnce) this.#begin(slot)
    else if (!this.#hasRoom(slot.claimant) || !(await this.#wait(slot, signal))) return undefined
    return () => this.#end(slot)
  }

  /** Runs `use` with a slot. @param busy the error when {@link acquire} has no slot @throws as `acquire` and `use` */
  async inTurn<T>(
    signal: AbortSignal | undefined,
    busy: () => Error,
    use: () => Promise<T>,
    holder?: SlotHolder,
  ): Promise<T> {
    const done = await this.acquire(signal, holder)
    if (done === undefined) throw busy()
    try {
      return await use()
    } finally {
      done()
    }
  }

  /** Whether one more may wait. The claimant with the most waiting gives way to one with fewer. */
  #hasRoom(comer: Claimant): boolean {
    if (this.#waiting.size < this.#mayWait) return true
    const most = this.#waits.most([...this.#waiting].reverse())
    if (most === undefined || !this.#waits.yields(most.claimant, comer, 1)) return false
    most.enter(false)
    return true
  }

  async #wait(slot: Slot, signal: AbortSignal | undefined): Promise<boolean> {
    this.#waiting.add(slot)
    this.#waits.add(slot.claimant, 1)
    const entered = new AbortController()
    try {
      return await new Promise<boolean>((resolve, reject) => {
        slot.enter = has => {
          this.#leave(slot)
          if (has) this.#begin(slot)
          resolve(has)
        }
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true, signal: entered.signal })
        this.#watch(slot, entered.signal).catch(() => {})
      })
    } finally {
      this.#leave(slot)
      entered.abort()
    }
  }

  async #watch(slot: Slot, entered: AbortSignal): Promise<void> {
    for (;;) {
      await pause(Math.min(LOOK_MS, this.#timeouts.slow), undefined, { signal: entered, ref: false })
      this.#greediest(slot.claimant, performance.now() - slot.since)?.holder.cut?.()
    }
  }

  /** The holder that loses its slot after a wait of `waited` milliseconds. */
  #greediest(comer: Claimant, waited: number): Slot | undefined {
    const { slow, shares, stalled } = this.#timeouts
    const paces = new Map<Slot, number>()
    for (const slot of this.#running) {
      const pace = slot.holder.cut && slot.holder.pace?.()
      if (pace !== undefined) paces.set(slot, pace)
    }
    const over = [...paces].filter(([{ claimant }]) => this.#has.yields(claimant, comer, 1))
    const slowest = (found: [Slot, number][]) => found.sort((a, b) => a[1] - b[1])[0]?.[0]
    if (waited >= stalled) {
      const still = slowest([...paces].filter(([, pace]) => pace < STALLED))
      if (still) return still
    }
    if (waited >= shares && over.length > 0) return this.#has.most(over.map(([slot]) => slot))
    return waited >= slow ? slowest(over.filter(([, pace]) => pace < SLOW)) : undefined
  }

  #leave(slot: Slot): void {
    if (this.#waiting.delete(slot)) this.#waits.add(slot.claimant, -1)
  }

  #begin(slot: Slot): void {
    slot.since = performance.now()
    this.#running.add(slot)
    this.#has.add(slot.claimant, 1)
  }

  #end(slot: Slot): void {
    if (!this.#running.delete(slot)) return
    this.#has.add(slot.claimant, -1)
    this.#next()?.enter(true)
  }

  /** The next to begin: its claimant has the fewest slots, then the fewest in the queue. Otherwise the first. */
  #next(): Slot | undefined {
    let next: Slot | undefined
    const order = ({ claimant: a }: Slot, { claimant: b }: Slot) => this.#has.compare(a, b) || this.#waits.compare(a, b)
    for (const slot of this.#waiting) if (!next || order(slot, next) < 0) next = slot
    return next
  }
}
