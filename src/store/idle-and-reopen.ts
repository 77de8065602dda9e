/** Closes idle organizations, and opens failed ones again. */
import type { Background, BackgroundTask } from '../scheduling/background.ts'
import type { OpenOrganization } from './open-organization.ts'

const SWEEP_MS = 30_000
const AGAIN_MS = 500

interface IdleOptions {
  /** The organizations in memory, by id; what is closed goes from there. */
  organizations: Map<string, OpenOrganization>
  background: Background
  /** Milliseconds since 1970. */
  now: () => number
  maxOpen: number
  /** Milliseconds of disuse after which one is closed. */
  idleMs: number
}

export class IdleAndReopen {
  readonly #options: IdleOptions
  readonly #sweeper: BackgroundTask
  readonly #reopener: BackgroundTask
  #isOver = false

  constructor(options: IdleOptions) {
    const { background, idleMs } = options
    this.#options = options
    this.#sweeper = background.task({ name: 'closing idle organizations', run: () => this.#sweep() })
    this.#sweeper.in(Math.min(SWEEP_MS, idleMs))
    this.#reopener = background.task({ name: 'opening failed organizations again', run: () => this.#reopen() })
  }

  opened(): void {
    this.#sweeper.in(0)
  }

  failed(): void {
    this.#reopener.in(this.#untilReopen())
  }

  close(): void {
    this.#isOver = true
    this.#sweeper.cancel(true)
    this.#reopener.cancel(true)
  }

  get #all(): OpenOrganization[] {
    return [...this.#options.organizations.values()]
  }

  #untilReopen(): number {
    return Math.min(...this.#all.map(({ reopenAt }) => reopenAt)) - performance.now()
  }

  async #reopen(): Promise<number | undefined> {
    const due = this.#all.filter(({ reopenAt }) => reopenAt <= performance.now() + 1)
    if (!this.#isOver) await Promise.all(due.map(organization => organization.reopen()))
    const rest = this.#untilReopen()
    return rest === Infinity ? undefined : rest
  }

  /** Closes long idle organizations, and above the bound the longest unused ones. */
  #sweep(): number {
    const { organizations, background, maxOpen, idleMs } = this.#options
    const now = this.#options.now()
    const open = this.#all.filter(({ repository }) => repository !== undefined)
    open.sort((a, b) => a.used - b.used)
    let excess = open.length - maxOpen
    // Busy ones above the bound are looked at again soon.
    const next = excess > 0 ? AGAIN_MS : Math.min(SWEEP_MS, idleMs)
    for (const organization of open) {
      // The clock may have been put back.
      organization.used = Math.min(organization.used, now)
      if (organization.isBusy || (excess <= 0 && organization.used > now - idleMs)) continue
      excess--
      const forget = () => organizations.delete(organization.id)
      background.once('closing an idle organization', () => organization.close(forget))
    }
    return next
  }
}
