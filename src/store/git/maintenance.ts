/**
 * Keeps a repository small and quick for git, behind everyone's back: merges the many packs that sealing leaves, writes a bitmap
 * for clones and a commit-graph for histories. It waits for nobody and nobody waits for it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Background, Task } from '../../background.ts'
import type { Logger } from '../log.ts'
import { gitVersion, OLDEST_GIT } from './git.ts'
import {
  clearUnfinished,
  listPacks,
  objectsOutside,
  type Pace,
  type Plan,
  planRepack,
  repack,
  writeCommitGraph,
} from './repack.ts'
import { Turns } from './turns.ts'

/** When there is enough to do. */
export interface MaintenancePace extends Pace {
  /** How many seals make it look at the packs. */
  seals: number
  /** How long nobody has sealed before it takes the time for idleness, in milliseconds. */
  idleMs: number
  /** So many objects outside the commit-graph are worth bringing in; a commit brings about six. */
  graphFrom: number
  /** The same when nobody writes. */
  idleGraphFrom: number
}

const PACE: MaintenancePace = {
  packs: 50,
  idlePacks: 10,
  bitmapFrom: 10_000,
  seals: 10,
  idleMs: 30_000,
  graphFrom: 12_000,
  idleGraphFrom: 1_200,
}

/** Between two looks whether another server's git has ended. */
const AGAIN_MS = 10_000
const RETRY_MS = [60_000, 6 * 3_600_000] as const

/** What the organizations of one store share. */
export class MaintenanceCrew {
  /** One at a time: it is work for a processor and the disk, and nobody's hurry. */
  readonly turns = new Turns(1, Number.POSITIVE_INFINITY)
  readonly pace: MaintenancePace
  /** Whether it was said already that there is no git. */
  told = false

  constructor(pace: Partial<MaintenancePace> = {}) {
    this.pace = { ...PACE, ...pace }
  }
}

/** The maintenance of one open repository. */
export class Maintenance {
  readonly #gitDir: string
  readonly #crew: MaintenanceCrew
  readonly #log: Logger
  readonly #changed: () => void
  readonly #end = new AbortController()
  readonly #task: Task
  #pace: MaintenancePace
  #seals = 0
  /** When it was last sealed, by `performance.now()`. */
  #sealed = performance.now()
  #working = false
  /** Without git there is nothing to do. */
  #lacksGit = false

  /** @param options.changed is called when packs were replaced */
  constructor(options: {
    gitDir: string
    crew: MaintenanceCrew
    log: Logger
    background: Background
    changed: () => void
  }) {
    this.#gitDir = options.gitDir
    this.#crew = options.crew
    this.#pace = options.crew.pace
    this.#log = options.log
    this.#changed = options.changed
    // The first seal makes it look: it may have been left with many packs, and be closed before it has been idle.
    this.#seals = this.#pace.seals - 1
    if (existsSync(join(this.#gitDir, 'shallow'))) this.#expectNoBitmap()
    this.#task = options.background.task({
      name: 'maintenance',
      retry: RETRY_MS,
      level: 'warn',
      run: () => this.#look(),
    })
    this.#task.in(this.#pace.idleMs)
  }

  /** Whether it is at work, not merely waiting for its turn. */
  get working(): boolean {
    return this.#working
  }

  /** Takes notice of a seal, which has made a pack. */
  note(): void {
    if (this.#end.signal.aborted) return
    this.#sealed = performance.now()
    this.#task.in(++this.#seals >= this.#pace.seals ? 0 : this.#pace.idleMs)
  }

  /** Ends what is going on; resolves when no git is at work any more and nothing is left of it. */
  async close(): Promise<void> {
    this.#task.cancel(true)
    this.#end.abort()
    await this.#task.close()
  }

  /** @returns the milliseconds until it is idle, when it is not yet */
  async #look(): Promise<number | undefined> {
    if (this.#lacksGit) return undefined
    // Where nobody can tell what a process is, a git that has outlived a killed server is let finish.
    if (!(await clearUnfinished(this.#gitDir))) return AGAIN_MS
    const idle = this.#untilIdle() <= 0
    this.#seals = 0
    if (await this.#due(idle)) {
      if ((await gitVersion()) === undefined) return this.#sayThatGitLacks()
      const done = await this.#crew.turns.take(this.#end.signal)
      this.#working = true
      try {
        await this.#work(idle)
      } finally {
        this.#working = false
        done?.()
      }
    }
    // Sealed meanwhile, perhaps by the last write for a long time.
    if (this.#seals >= this.#pace.seals) return 0
    return idle && this.#seals === 0 ? undefined : Math.max(0, this.#untilIdle())
  }

  #untilIdle(): number {
    return this.#sealed + this.#pace.idleMs - performance.now()
  }

  async #due(idle: boolean): Promise<boolean> {
    const packs = await listPacks(this.#gitDir)
    const { graphFrom, idleGraphFrom } = this.#pace
    if (planRepack(packs, idle, this.#pace)) return true
    return (await objectsOutside(this.#gitDir, packs)) >= (idle ? idleGraphFrom : graphFrom)
  }

  async #work(idle: boolean): Promise<void> {
    const { signal } = this.#end
    const plan = planRepack(await listPacks(this.#gitDir), idle, this.#pace)
    if (plan) await this.#repack(plan)
    // Also after a merge alone, which makes old commits look new.
    const outside = await objectsOutside(this.#gitDir, await listPacks(this.#gitDir))
    if (outside >= this.#pace.idleGraphFrom) await writeCommitGraph(this.#gitDir, signal)
  }

  async #repack(plan: Plan): Promise<void> {
    const began = performance.now()
    try {
      await repack(this.#gitDir, plan, this.#end.signal)
    } finally {
      this.#changed()
    }
    const { kind, packs } = plan
    const objects = packs.reduce((sum, pack) => sum + pack.objects, 0)
    this.#log.info({ kind, packs: packs.length, objects, ms: Math.round(performance.now() - began) }, 'merged packs')
    if (kind === 'full' && !(await listPacks(this.#gitDir)).some(({ bitmap }) => bitmap)) this.#expectNoBitmap()
  }

  /** Git has its reasons, and is not asked again and again. */
  #expectNoBitmap(): void {
    this.#pace = { ...this.#pace, bitmapFrom: Number.POSITIVE_INFINITY }
  }

  #sayThatGitLacks(): undefined {
    this.#lacksGit = true
    if (this.#crew.told) return
    this.#crew.told = true
    this.#log.warn({}, `there is no git ${OLDEST_GIT.join('.')} or newer; packs are not merged, and repositories grow`)
  }
}
