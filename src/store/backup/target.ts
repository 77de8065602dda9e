/** One repository's copy at the remote: how far behind it is, when it is pushed, with what result. */

import { Failure } from '../../bundle/errors.ts'
import type { Background, BackgroundTask } from '../../scheduling/background.ts'
import type { FairSlots } from '../../scheduling/fair-slots.ts'
import { endsWithin } from '../ends-within.ts'
import type { Logger } from '../log.ts'
import type { TargetDelays } from './delays.ts'
import type { PushOutcome } from './push.ts'

/** How an organization's backup does. Without a remote it is `off`. */
export interface BackupStatus {
  /** `diverged`: the remote has something of its own, which is not overwritten. */
  state: 'ok' | 'pending' | 'failing' | 'diverged' | 'off'
  /** Milliseconds since 1970. */
  lastSuccess: number | null
  /** Seconds since the oldest acknowledged, unpushed change; 0 without one. */
  lag: number
  error?: string
  /** When restoring was last checked, in milliseconds since 1970; undefined when never. */
  lastCheck?: number
}

/** `nothing`: the remote has it all. */
export type TargetOutcome = PushOutcome | { state: 'nothing' }

interface TargetOptions {
  id: string
  delays: TargetDelays
  slots: FairSlots
  background: Background
  log: Logger
  /** Pushes what is there now. @throws Failure */
  push: (signal: AbortSignal) => Promise<TargetOutcome>
}

/** Inner times are `performance.now()`'s: clock changes do not matter. */
export class BackupTarget {
  /** Milliseconds since 1970. */
  lastSuccess: number | null = null
  /** When the remote last said that it has everything (`performance.now()`). */
  askedAt = Number.NEGATIVE_INFINITY
  failed = 0
  readonly #options: TargetOptions
  /** When the oldest change without a begun push came. */
  #since: number | undefined
  /** The same of the push under way. */
  #under: number | undefined
  #changed = 0
  readonly #task: BackgroundTask
  #armed = false
  #running: Promise<boolean> | undefined
  /** Failures in a row, and when the first one was. */
  #failures = 0
  #failingSince = 0
  #timeouts = 0
  #problem: { state: 'failing' | 'diverged'; error: string } | undefined
  readonly #ending = new AbortController()
  readonly #killing = new AbortController()

  constructor(options: TargetOptions) {
    this.#options = options
    this.#task = options.background.task({ name: 'pushing a backup', run: () => this.#ring(), retry: false })
  }

  get id(): string {
    return this.#options.id
  }

  get status(): BackupStatus {
    const { lastSuccess } = this
    const oldest = this.#oldest
    const lag = oldest === undefined ? 0 : Math.max(0, Math.round(performance.now() - oldest) / 1000)
    if (this.#problem) return { ...this.#problem, lastSuccess, lag }
    return { state: oldest === undefined ? 'ok' : 'pending', lastSuccess, lag }
  }

  /** Whether it diverged, or has failed for this time. */
  troubled(milliseconds: number): boolean {
    if (this.#problem === undefined) return false
    return this.#problem.state === 'diverged' || this.#failingSince <= performance.now() - milliseconds
  }

  /**
   * Notes something new; the push follows once changes pause. A due retry retains its time.
   * @param since when the oldest of it came, in milliseconds since 1970; now by default
   */
  changed(since?: number): void {
    this.#changed = performance.now()
    const oldest = since === undefined ? this.#changed : this.#changed - Math.max(0, Date.now() - since)
    this.#since = Math.min(this.#since ?? oldest, oldest)
    if (!this.#running && !this.#armed) this.#arm()
  }

  /** Pushes at its next turn, in the background: the remote may have lost something. */
  soon(): void {
    if (!this.#running) this.#in(0)
  }

  /** Resolves when no push runs or waits: a running one may have read an older state. */
  async settled(): Promise<void> {
    await this.#running
  }

  /**
   * Pushes at its next turn; a running push will do. Never rejects: see {@link status}.
   * @returns whether the remote has it all; false also when it was ended before
   */
  pushNow(): Promise<boolean> {
    this.#task.cancel()
    this.#armed = false
    this.#running ??= this.#takeSlot().finally(() => {
      this.#running = undefined
      this.#next()
    })
    return this.#running
  }

  /** Ends; a push under way has `grace` milliseconds. */
  async end(grace = this.#options.delays.grace): Promise<void> {
    this.#ending.abort()
    if (this.#running) await endsWithin(grace, this.#running)
    this.#killing.abort()
    await this.#running
    await this.#task.close()
  }

  get #oldest(): number | undefined {
    const times = [this.#since, this.#under].filter(time => time !== undefined)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  get #due(): number {
    const { settle, latest } = this.#options.delays
    return Math.min(this.#changed + settle, (this.#since ?? this.#changed) + latest)
  }

  #arm(): void {
    this.#in(this.#due - performance.now())
  }

  #in(delay: number): void {
    if (this.#ending.signal.aborted) return
    this.#armed = true
    this.#task.in(delay)
  }

  async #ring(): Promise<void> {
    // More changes may have come since it was set.
    if (this.#problem === undefined && this.#since !== undefined && this.#due > performance.now() + 1) this.#arm()
    else await this.pushNow()
  }

  #next(): void {
    const { firstRetry, lastRetry } = this.#options.delays
    if (this.#problem) {
      const delay = Math.min(firstRetry * 2 ** Math.min(this.#failures - 1, 30), lastRetry)
      // Spread out, or all that failed together would come back together.
      this.#in(delay * (0.75 + Math.random() / 2))
    } else if (this.#since !== undefined) this.#arm()
  }

  async #takeSlot(): Promise<boolean> {
    const done = await this.#options.slots.acquire(this.#ending.signal).catch(() => undefined)
    if (done === undefined) return false
    try {
      return await this.#push()
    } finally {
      done()
    }
  }

  async #push(): Promise<boolean> {
    const { push, delays, log, id } = this.#options
    this.#under = this.#since
    this.#since = undefined
    const limit = AbortSignal.timeout(delays.push * 2 ** Math.min(this.#timeouts, 3))
    const signal = AbortSignal.any([limit, this.#killing.signal])
    let pushed = false
    try {
      pushed = this.#judge(await push(signal), limit.aborted)
    } catch (error) {
      const sentence = error instanceof Failure ? error.message : "The backup failed; the server's log says why."
      if (!this.#ending.signal.aborted) {
        if (this.#problem?.error !== sentence) log.error({ err: error, id }, 'a backup failed')
        this.#fail('failing', sentence)
      }
    }
    if (!pushed) this.#since = this.#oldest
    this.#under = undefined
    return pushed
  }

  #judge(outcome: TargetOutcome, timedOut: boolean): boolean {
    const { log, id } = this.#options
    if (outcome.state === 'done' || outcome.state === 'nothing') {
      if (this.#problem) log.info({ id }, 'the backup works again')
      this.#failures = this.#timeouts = 0
      this.#problem = undefined
      return true
    }
    // Ended with the server: no failure.
    if (this.#killing.signal.aborted) return false
    if (timedOut) this.#timeouts++
    if (this.#problem?.error !== outcome.sentence) log.warn({ id, git: outcome.words }, outcome.sentence)
    this.#fail(outcome.state === 'diverged' ? 'diverged' : 'failing', outcome.sentence)
    return false
  }

  #fail(state: 'failing' | 'diverged', error: string): void {
    this.failed++
    if (this.#failures++ === 0) this.#failingSince = performance.now()
    this.#problem = { state, error }
  }
}
