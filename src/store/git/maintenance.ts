/**
 * Keeps a repository small and quick for git, behind everyone's back: merges the many packs that sealing leaves, writes a bitmap
 * for clones and a commit-graph for histories. It waits for nobody and nobody waits for it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../log.ts'
import { objectsOutside, writeCommitGraph } from './commit-graph.ts'
import { gitVersion, OLDEST_GIT } from './git.ts'
import { listPacks, type Pace, type Plan, planRepack } from './pack-list.ts'
import { repack } from './repack.ts'
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

/** Merges in one run; each makes fewer packs, while seals make more. */
const MOST_MERGES = 10
const FIRST_RETRY_MS = 60_000
const LAST_RETRY_MS = 6 * 3_600_000

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
  readonly #timer: NodeJS.Timeout
  #pace: MaintenancePace
  #seals = 0
  #looking: Promise<void> | undefined
  /** Whether it has become idle during a look. */
  #becameIdle = false
  #working = false
  #failures = 0
  #complaint = ''
  /** No look before this time, by `performance.now()`. */
  #notBefore = 0

  /** @param options.changed is called when packs were replaced */
  constructor(options: { gitDir: string; crew: MaintenanceCrew; log: Logger; changed: () => void }) {
    this.#gitDir = options.gitDir
    this.#crew = options.crew
    this.#pace = options.crew.pace
    this.#log = options.log
    this.#changed = options.changed
    // The first seal makes it look: it may have been left with many packs, and be closed before it has been idle.
    this.#seals = this.#pace.seals - 1
    if (existsSync(join(this.#gitDir, 'shallow'))) this.#expectNoBitmap()
    this.#timer = setTimeout(() => this.#look(true), this.#pace.idleMs).unref()
  }

  /** Whether it is at work, not merely waiting for its turn. */
  get working(): boolean {
    return this.#working
  }

  /** Takes notice of a seal, which has made a pack. */
  note(): void {
    if (this.#end.signal.aborted) return
    this.#timer.refresh()
    if (++this.#seals >= this.#pace.seals) this.#look(false)
  }

  /** Ends what is going on; resolves when no git is at work any more and nothing is left of it. */
  async close(): Promise<void> {
    this.#end.abort()
    clearTimeout(this.#timer)
    await this.#looking
  }

  #look(idle: boolean): void {
    if (this.#looking && idle) this.#becameIdle = true
    if (this.#looking || this.#end.signal.aborted || performance.now() < this.#notBefore) return
    this.#seals = 0
    this.#becameIdle = false
    this.#looking = this.#tryLook(idle).finally(() => {
      this.#looking = undefined
      if (this.#becameIdle) this.#look(true)
      // Sealed meanwhile, perhaps by the last write for a long time.
      else if (this.#seals >= this.#pace.seals) this.#look(false)
    })
  }

  async #tryLook(idle: boolean): Promise<void> {
    try {
      if (!(await this.#due(idle))) return
      if ((await gitVersion()) === undefined) return this.#sayThatGitLacks()
      const done = await this.#crew.turns.take(this.#end.signal)
      this.#working = true
      try {
        await this.#work(idle)
      } finally {
        this.#working = false
        done?.()
      }
      this.#failures = 0
      this.#complaint = ''
    } catch (error) {
      if (!this.#end.signal.aborted) this.#failed(error)
    }
  }

  async #due(idle: boolean): Promise<boolean> {
    const packs = await listPacks(this.#gitDir)
    const { graphFrom, idleGraphFrom } = this.#pace
    if (planRepack(packs, idle, this.#pace)) return true
    return (await objectsOutside(this.#gitDir, packs)) >= (idle ? idleGraphFrom : graphFrom)
  }

  async #work(idle: boolean): Promise<void> {
    const { signal } = this.#end
    for (let merges = 0; merges < MOST_MERGES; merges++) {
      const plan = planRepack(await listPacks(this.#gitDir), idle, this.#pace)
      if (plan === undefined) break
      await this.#repack(plan)
    }
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

  /** Each cause is told once, and each failure in a row doubles the time until the next attempt. */
  #failed(error: unknown): void {
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, LAST_RETRY_MS)
    this.#notBefore = performance.now() + retryMs
    // The same cause again, though the names of files differ.
    const complaint = String(error).replace(/[0-9a-f]{40}|repack-\w+/g, '')
    if (complaint !== this.#complaint) {
      this.#log.warn({ err: error, retryMs }, 'maintenance failed; reads and writes are not concerned')
    }
    this.#complaint = complaint
  }

  #sayThatGitLacks(): void {
    this.#notBefore = Number.POSITIVE_INFINITY
    if (this.#crew.told) return
    this.#crew.told = true
    this.#log.warn({}, `there is no git ${OLDEST_GIT.join('.')} or newer; packs are not merged, and repositories grow`)
  }
}
