/** A few slots for many: how many may act or wait at once, and in which order: who has the fewest comes first. */
import { setTimeout as pause } from 'node:timers/promises'
import { FairShares, type Taker } from './fair-shares.ts'

/** Who takes a slot, and what is known of him meanwhile. All without a taker count as one. */
export interface Holder {
  taker?: Taker | undefined
  /** Gives the slot up early because others wait. Undefined: it cannot be ended. */
  cut?: () => void
  /** Bytes a second he took of late; undefined while it is not he who is waited for. */
  pace?: () => number | undefined
}

/** Milliseconds that somebody waits before another's slot is taken away. */
const PATIENCE = {
  /** A slow one, of a taker with more slots than the one who waits. */
  slow: 2_000,
  /** Any of such a taker. */
  shares: 20_000,
  /** One that takes next to nothing, whoever's it is. */
  stalled: 30_000,
}
export type Patience = typeof PATIENCE

/** Bytes a second. */
const SLOW = 128 * 1024
const STALLED = 4 * 1024
const LOOK_MS = 500
const NOBODY: Taker = { organization: '', credential: '' }

interface Place {
  taker: Taker
  holder: Holder
  /** When his wait, then his slot began (`performance.now()`). */
  since: number
  /** Ends the wait: with a slot, or without because he gives way. */
  enter: (has: boolean) => void
}

export class FairSlots {
  readonly #atOnce: number
  readonly #mayWait: number
  readonly #patience: Patience
  readonly #waiting = new Set<Place>()
  readonly #running = new Set<Place>()
  readonly #has = new FairShares()
  readonly #waits = new FairShares()

  constructor(atOnce: number, mayWait: number, patience = PATIENCE) {
    this.#atOnce = atOnce
    this.#mayWait = mayWait
    this.#patience = patience
  }

  get load(): { running: number; waiting: number } {
    return { running: this.#running.size, waiting: this.#waiting.size }
  }

  /**
   * Resolves with what gives the slot back; undefined when the caller gives way, or too many wait and none gives way.
   * @throws the signal's reason when it is aborted before he has one
   */
  async take(signal: AbortSignal, holder: Holder = {}): Promise<(() => void) | undefined> {
    signal.throwIfAborted()
    const place: Place = { taker: holder.taker ?? NOBODY, holder, since: performance.now(), enter: () => {} }
    if (this.#running.size < this.#atOnce) this.#begin(place)
    else if (!this.#hasRoom(place.taker) || !(await this.#wait(place, signal))) return undefined
    return () => this.#end(place)
  }

  /** Runs `use` in its turn. @param busy why not, where {@link take} gives no slot @throws as that and `use` do */
  async inTurn<T>(signal: AbortSignal, busy: () => Error, use: () => Promise<T>, holder?: Holder): Promise<T> {
    const done = await this.take(signal, holder)
    if (done === undefined) throw busy()
    try {
      return await use()
    } finally {
      done()
    }
  }

  /** Whether one more may wait; who has the most waiting gives way to one with fewer. */
  #hasRoom(comer: Taker): boolean {
    if (this.#waiting.size < this.#mayWait) return true
    const most = this.#waits.most([...this.#waiting].reverse())
    if (most === undefined || !this.#waits.yields(most.taker, comer, 1)) return false
    most.enter(false)
    return true
  }

  async #wait(place: Place, signal: AbortSignal): Promise<boolean> {
    this.#waiting.add(place)
    this.#waits.add(place.taker, 1)
    const entered = new AbortController()
    try {
      return await new Promise<boolean>((resolve, reject) => {
        place.enter = has => {
          this.#leave(place)
          if (has) this.#begin(place)
          resolve(has)
        }
        signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: entered.signal })
        this.#watch(place, entered.signal).catch(() => {})
      })
    } finally {
      this.#leave(place)
      entered.abort()
    }
  }

  async #watch(place: Place, entered: AbortSignal): Promise<void> {
    for (;;) {
      await pause(Math.min(LOOK_MS, this.#patience.slow), undefined, { signal: entered, ref: false })
      this.#greediest(place.taker, performance.now() - place.since)?.holder.cut?.()
    }
  }

  /** Whose slot to take away for one who waited so long, if anybody's. */
  #greediest(comer: Taker, waited: number): Place | undefined {
    const { slow, shares, stalled } = this.#patience
    const paces = new Map<Place, number>()
    for (const place of this.#running) {
      const pace = place.holder.cut && place.holder.pace?.()
      if (pace !== undefined) paces.set(place, pace)
    }
    const over = [...paces].filter(([{ taker }]) => this.#has.yields(taker, comer, 1))
    const slowest = (found: [Place, number][]) => found.sort((a, b) => a[1] - b[1])[0]?.[0]
    if (waited >= stalled) {
      const still = slowest([...paces].filter(([, pace]) => pace < STALLED))
      if (still) return still
    }
    if (waited >= shares && over.length > 0) return this.#has.most(over.map(([place]) => place))
    return waited >= slow ? slowest(over.filter(([, pace]) => pace < SLOW)) : undefined
  }

  #leave(place: Place): void {
    if (this.#waiting.delete(place)) this.#waits.add(place.taker, -1)
  }

  #begin(place: Place): void {
    place.since = performance.now()
    this.#running.add(place)
    this.#has.add(place.taker, 1)
  }

  #end(place: Place): void {
    if (!this.#running.delete(place)) return
    this.#has.add(place.taker, -1)
    const fewest = (a: Place, b: Place) => this.#has.compare(a.taker, b.taker) || this.#waits.compare(a.taker, b.taker)
    ;[...this.#waiting].sort(fewest)[0]?.enter(true)
  }
}
