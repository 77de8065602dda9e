/** Optimizes a repository for git in the background: merged packs, a bitmap for clones, a graph for histories. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Background, BackgroundTask } from '../../scheduling/background.ts'
import { FairSlots } from '../../scheduling/fair-slots.ts'
import type { Logger } from '../log.ts'
import { gitVersion, OLDEST_GIT } from './git.ts'
import {
  clearUnfinished,
  listPacks,
  objectsOutside,
  planRepack,
  PACE as REPACKING,
  type RepackPlan,
  repack,
  writeCommitGraph,
} from './repack.ts'

const PACE = {
  ...REPACKING,
  /** Seals after which it looks at the packs. */
  seals: 10,
  /** Milliseconds without a seal after which it uses the idle limits. */
  idleMs: 30_000,
  /** Objects outside the commit-graph that are worth adding; a commit brings about six. */
  graphFrom: 12_000,
  idleGraphFrom: 1_200,
}
export type MaintenancePace = typeof PACE

/** Delay between two looks whether another server's git has ended. */
const AGAIN_MS = 10_000
const RETRY_MS = [60_000, 6 * 3_600_000] as const

export class SharedMaintenance {
  /** One at a time: it costs processor and disk, and no request waits. */
  readonly slots = new FairSlots(1, Number.POSITIVE_INFINITY)
  readonly pace: MaintenancePace
  isReported = false

  constructor(pace: Partial<MaintenancePace> = {}) {
    this.pace = { ...PACE, ...pace }
  }
}

interface MaintenanceOptions {
  gitDir: string
  crew: SharedMaintenance
  log: Logger
  background: Background
  changed: () => void
}

export class Maintenance {
  readonly #options: MaintenanceOptions
  readonly #end = new AbortController()
  readonly #task: BackgroundTask
  #pace: MaintenancePace
  #seals = 0
  #sealed = performance.now()
  #working = false

  constructor(options: MaintenanceOptions) {
    this.#options = options
    this.#pace = options.crew.pace
    // The first seal starts a look: many packs may be left over, and it may close before it is idle.
    this.#seals = this.#pace.seals - 1
    if (existsSync(join(this.#options.gitDir, 'shallow'))) this.#expectNoBitmap()
    this.#task = options.background.task({
      name: 'maintenance',
      retry: RETRY_MS,
      level: 'warn',
      run: () => this.#look(),
    })
    this.#task.in(this.#pace.idleMs)
  }

  get working(): boolean {
    return this.#working
  }

  note(): void {
    if (this.#end.signal.aborted) return
    this.#sealed = performance.now()
    this.#task.in(++this.#seals >= this.#pace.seals ? 0 : this.#pace.idleMs)
  }

  /** Ends the present work; resolves when no git runs and nothing is left of it. */
  async close(): Promise<void> {
    this.#task.cancel(true)
    this.#end.abort()
    await this.#task.close()
  }

  /** @returns milliseconds until it is idle, if it is not yet */
  async #look(): Promise<number | undefined> {
    // A git that outlived a killed server finishes its work.
    if (!(await clearUnfinished(this.#options.gitDir))) return AGAIN_MS
    const idle = this.#untilIdle() <= 0
    this.#seals = 0
    if (await this.#due(idle)) {
      if ((await gitVersion()) === undefined) return this.#sayThatGitLacks()
      const done = await this.#options.crew.slots.acquire(this.#end.signal)
      this.#working = true
      try {
        await this.#work(idle)
      } finally {
        this.#working = false
        done?.()
      }
    }
    // Sealed meanwhile, perhaps by the last write for long.
    if (this.#seals >= this.#pace.seals) return 0
    return idle && this.#seals === 0 ? undefined : Math.max(0, this.#untilIdle())
  }

  #untilIdle(): number {
    return this.#sealed + this.#pace.idleMs - performance.now()
  }

  async #due(idle: boolean): Promise<boolean> {
    const packs = await listPacks(this.#options.gitDir)
    const { graphFrom, idleGraphFrom } = this.#pace
    if (planRepack(packs, idle, this.#pace)) return true
    return (await objectsOutside(this.#options.gitDir, packs)) >= (idle ? idleGraphFrom : graphFrom)
  }

  async #work(idle: boolean): Promise<void> {
    const { signal } = this.#end
    const plan = planRepack(await listPacks(this.#options.gitDir), idle, this.#pace)
    if (plan) await this.#repack(plan)
    // Also after a merge alone: old commits look new then.
    const outside = await objectsOutside(this.#options.gitDir, await listPacks(this.#options.gitDir))
    if (outside >= this.#pace.idleGraphFrom) await writeCommitGraph(this.#options.gitDir, signal)
  }

  async #repack(plan: RepackPlan): Promise<void> {
    const began = performance.now()
    try {
      await repack(this.#options.gitDir, plan, this.#end.signal)
    } finally {
      this.#options.changed()
    }
    const { kind, packs } = plan
    const objects = packs.reduce((sum, pack) => sum + pack.objects, 0)
    this.#options.log.info(
      { kind, packs: packs.length, objects, ms: Math.round(performance.now() - began) },
      'merged packs',
    )
    if (kind === 'full' && !(await listPacks(this.#options.gitDir)).some(({ bitmap }) => bitmap)) this.#expectNoBitmap()
  }

  /** git has its reasons, and is not asked again and again. */
  #expectNoBitmap(): void {
    this.#pace = { ...this.#pace, bitmapFrom: Number.POSITIVE_INFINITY }
  }

  #sayThatGitLacks(): undefined {
    if (this.#options.crew.isReported) return
    this.#options.crew.isReported = true
    this.#options.log.warn(
      {},
      `there is no git ${OLDEST_GIT.join('.')} or newer; packs are not merged, and repositories grow`,
    )
  }
}
