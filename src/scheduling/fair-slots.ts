/** A few slots for many: how many may act or wait at once, and in which order: who has the fewest comes first. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Claimant, FairShares } from './fair-shares.ts'

/** Who takes a slot, and what is known of him meanwhile. All without a claimant count as one. */
export interface SlotHolder {
  claimant?: Claimant | undefined
  /** Gives the slot up early because others wait. Undefined: it cannot be ended. */
  cut?: () => void
  /** Bytes a second he took of late; undefined while it is not he who is waited for. */
  pace?: () => number | undefined
}

/** Milliseconds that somebody waits before another's slot is taken away. */
const SLOT_TIMEOUTS = {
  /** A slow one, of a claimant with more slots than the one who waits. */
  slow: 2_000,
  /** Any of such a claimant. */
  shares: 20_000,
  /** One that takes next to nothing, whoever's it is. */
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
  /** When his wait, then his slot began (`performance.now()`). */
  since: number
  /** Ends the wait: with a slot, or without because he gives way. */
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
   * Resolves with what gives the slot back; undefined when the caller gives way, or too many wait and none gives way.
   * @throws the signal's reason when it is aborted before he has one
   */
  async acquire(signal: AbortSignal, holder: SlotHolder = {}): Promise<(() => void) | undefined> {
    signal.throwIfAborted()
    const slot: Slot = { claimant: holder.claimant ?? NOBODY, holder, since: performance.now(), enter: () => {} }
    if (this.#running.size < this.#atOnce) this.#begin(slot)
    else if (!this.#hasRoom(slot.claimant) || !(await this.#wait(slot, signal))) return undefined
    return () => this.#end(slot)
  }

  /** Runs `use` in its turn. @param busy why not, where {@link acquire} gives no slot @throws as that and `use` do */
  async inTurn<T>(signal: AbortSignal, busy: () => Error, use: () => Promise<T>, holder?: SlotHolder): Promise<T> {
    const done = await this.acquire(signal, holder)
    if (done === undefined) throw busy()
    try {
      return await use()
    } finally {
      done()
    }
  }

  /** Whether one more may wait; who has the most waiting gives way to one with fewer. */
  #hasRoom(comer: Claimant): boolean {
    if (this.#waiting.size < this.#mayWait) return true
    const most = this.#waits.most([...this.#waiting].reverse())
    if (most === undefined || !this.#waits.yields(most.claimant, comer, 1)) return false
    most.enter(false)
    return true
  }

  async #wait(slot: Slot, signal: AbortSignal): Promise<boolean> {
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
        signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: entered.signal })
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

  /** Whose slot to take away for one who waited so long, if anybody's. */
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
    const fewest = (a: Slot, b: Slot) =>
      this.#has.compare(a.claimant, b.claimant) || this.#waits.compare(a.claimant, b.claimant)
    ;[...this.#waiting].sort(fewest)[0]?.enter(true)
  }
}
