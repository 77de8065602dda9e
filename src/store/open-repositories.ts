/**
 * Which organizations' repositories are open: opens each when it is first used, again after a failure of the disk, closes those that are idle
 * and those above the bound, and moves away what is removed. Whoever uses one never holds it over a turn of the event loop.
 */
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Background, type Task } from '../background.ts'
import { Failure } from '../bundle/errors.ts'
import { hasRepository } from './create-repository.ts'
import { makeFolder, renameFile, syncFolder, systemFailure } from './disk.ts'
import type { Durations } from './durations.ts'
import { MaintenanceCrew } from './git/maintenance.ts'
import { SILENT, within } from './log.ts'
import type { StoreOptions } from './options.ts'
import { checkOrganization, isOrganization } from './organization.ts'
import { Repository } from './repository.ts'
import { ObjectCache } from './snapshot.ts'
import { judgeAtOnce } from './view/judge.ts'
import { View } from './view/view.ts'

/** An organization in memory. At most one of opening, reopening, closing and removing goes on at a time. */
export interface Slot {
  /** Undefined while it is opened for the first time or closed. */
  repository?: Repository
  transition?: Promise<unknown>
  used: number
  /** How many read or change its repository beside the queue, such as git's own processes: it is not closed under them. */
  readers: number
  /** Why it could not be opened, for the status. */
  error?: string
  /** When it is opened again after a failure of the disk, by `performance.now()`: it is well again once that is, whether or not anybody asks for it. */
  mending?: { at: number; delay: number } | undefined
}

const SWEEP_MS = 30_000
const AGAIN_MS = 500
const FIRST_MEND_MS = 500
const LAST_MEND_MS = 30_000
/** A request lives for minutes; nobody deletes so many organizations meanwhile. */
const REMOVED_KEPT = 10_000

/** See the top of the file. */
export class OpenRepositories {
  readonly #options: Required<Omit<StoreOptions, 'cacheBytes' | 'maintenance'>>
  readonly #seals: Durations
  readonly #cache: ObjectCache
  readonly #crew: MaintenanceCrew | undefined
  readonly #slots = new Map<string, Slot>()
  /** Organizations that have a repository on the disk, as far as is known. */
  readonly #known = new Set<string>()
  /** Organizations removed by this process, the last ones: a request that began before must not make one anew. */
  readonly #removed = new Set<string>()
  readonly #background: Background
  readonly #sweeper: Task
  readonly #mender: Task
  #closing: Promise<void> | undefined

  /** @param seals where it is counted how long sealing takes, in all of them */
  constructor(options: StoreOptions, seals: Durations) {
    this.#options = {
      now: Date.now,
      log: SILENT,
      background: new Background(options.log ?? SILENT),
      watch: true,
      maxOpen: 200,
      idleMs: 600_000,
      onSealed: () => {},
      judge: judgeAtOnce,
      makeView: view => new View(view),
      ...options,
    }
    this.#seals = seals
    if (options.maintenance !== false) this.#crew = new MaintenanceCrew(options.maintenance)
    this.#cache = new ObjectCache(options.cacheBytes ?? 64 * 1024 * 1024)
    this.#background = this.#options.background.group()
    this.#sweeper = this.#background.task({ name: 'closing idle organizations', run: () => this.#sweep() })
    this.#sweeper.in(Math.min(SWEEP_MS, this.#options.idleMs))
    this.#mender = this.#background.task({ name: 'opening failed organizations again', run: () => this.#mendAll() })
  }

  /** Makes the folder when it is missing, and finds what lies in it. */
  async find(): Promise<void> {
    const { directory } = this.#options
    await makeFolder(directory)
    for (const name of await readdir(directory)) if (isOrganization(name)) this.#known.add(name)
  }

  /** The ids of all organizations that have a repository, open or not. */
  get known(): ReadonlySet<string> {
    return this.#known
  }

  /** The organizations in memory, by their ids. */
  get slots(): ReadonlyMap<string, Readonly<Slot>> {
    return this.#slots
  }

  /** How much the cache that they share holds. */
  get cacheBytes(): number {
    return this.#cache.bytes
  }

  /** One that is open now, which counts as a use of it. */
  touch(organization: string): Repository | undefined {
    const slot = this.#closing ? undefined : this.#slots.get(organization)
    if (slot?.repository === undefined) return undefined
    slot.used = this.#options.now()
    return slot.repository
  }

  /**
   * Runs `use` on the organization's open repository, without a turn of the event loop between: nothing can close it there.
   * For `write` the repository is sound, and made when there is none; for `read` it may be undefined, and still serves its
   * last durable state while it is reopened after a failure.
   */
  async enter<T>(
    organization: string,
    purpose: 'read' | 'write',
    use: (repository: Repository | undefined) => T | Promise<T>,
  ): Promise<T> {
    checkOrganization(organization)
    for (;;) {
      if (this.#closing) throw new Failure('unavailable', 'The server is shutting down.', { retryAfter: 1 })
      const slot = this.#slots.get(organization)
      const open = slot?.repository
      if (slot && open && (purpose === 'read' || !(slot.transition || open.failure))) {
        slot.used = this.#options.now()
        return use(open)
      }
      if (slot?.transition) {
        // Which may fail and leave it fit for reading.
        await slot.transition.catch(error => {
          if (purpose === 'write' || !slot.repository) throw error
        })
      } else if (!slot && purpose === 'write' && this.#removed.has(organization)) {
        throw new Failure('not-found', 'This organization has been deleted.')
      } else if (slot || purpose === 'write' || (await this.#exists(organization))) {
        await this.#open(organization).catch(error => {
          if (purpose === 'write' || !this.#slots.get(organization)?.repository) throw error
        })
      } else return use(undefined)
    }
  }

  /** Keeps the organization's repository, made when there is none, open until `use` is through. */
  hold<T>(organization: string, use: (repository: Repository) => Promise<T>): Promise<T> {
    return this.enter(organization, 'write', async repository => {
      const slot = this.#slots.get(organization)!
      slot.readers++
      try {
        return await use(repository!)
      } finally {
        slot.readers--
      }
    })
  }

  /**
   * Moves an organization's folder to `deleted/<id>-<UTC time>` beside the store's folder, once its waiting writes are
   * through. To whoever reads later the organization is unknown; who writes later is refused.
   */
  async remove(organization: string): Promise<void> {
    checkOrganization(organization)
    this.#removed.add(organization)
    if (this.#removed.size > REMOVED_KEPT) this.#removed.delete(this.#removed.values().next().value!)
    // Opened first, so that it is recovered and sealed before it goes; one that cannot be opened goes as it is.
    await this.enter(organization, 'read', () => undefined).catch(error => {
      if (this.#closing || !(error instanceof Failure) || error.code !== 'unavailable') throw error
    })
    for (;;) {
      const slot = this.#slots.get(organization)
      if (slot?.transition) await slot.transition.catch(() => {})
      else if (slot) return this.#transition(slot, () => this.#bury(organization, slot))
      else if (await this.#exists(organization))
        this.#slots.set(organization, { used: this.#options.now(), readers: 0 })
      else return
    }
  }

  /** Finishes and seals everything; nothing is opened any more. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #exists(organization: string): Promise<boolean> {
    return this.#known.has(organization) || hasRepository(join(this.#options.directory, organization))
  }

  /** Opens the organization's repository, or opens it again after a failure; joins whoever is at it. */
  #open(organization: string): Promise<unknown> {
    let slot = this.#slots.get(organization)
    if (slot === undefined) this.#slots.set(organization, (slot = { used: this.#options.now(), readers: 0 }))
    const opening = slot
    return slot.transition ?? this.#transition(slot, () => this.#load(organization, opening))
  }

  async #load(organization: string, slot: Slot): Promise<void> {
    const { directory, now, watch, judge, makeView } = this.#options
    const log = within(this.#options.log, organization)
    const failed = slot.repository
    try {
      await failed?.abandon()
      const workTree = join(directory, organization)
      const until = failed?.head
      const seals = this.#seals
      const sealed = () => this.#options.onSealed(organization)
      slot.repository = await Repository.open({
        workTree,
        cache: this.#cache,
        now,
        log,
        background: this.#background.group(organization),
        watch,
        judge,
        makeView,
        crew: this.#crew,
        until,
        seals,
        sealed,
        failed: () => this.#mend(slot),
        // The one that failed serves the same, and has it in its cache.
        readable: failed === undefined,
      })
      if (slot.repository.failure) throw slot.repository.failure
      slot.error = undefined
      slot.mending = undefined
      this.#known.add(organization)
      failed?.release()
    } catch (error) {
      log.error({ err: error }, 'the repository cannot be opened')
      slot.error = error instanceof Error ? error.message : String(error)
      const failure = systemFailure(error)
      if (failure) this.#mend(slot)
      if (error instanceof Failure) throw error
      if (failure) throw failure
      throw new Failure('unavailable', "The organization's repository cannot be opened; the server's log says why.")
    }
    this.#sweeper.in(0)
  }

  /** Has an organization opened again after a while, and again until it succeeds. */
  #mend(slot: Slot): void {
    slot.mending ??= { at: 0, delay: FIRST_MEND_MS }
    slot.mending.at = performance.now() + slot.mending.delay
    this.#mender.in(this.#untilMend())
  }

  /** Milliseconds until the first one is due. */
  #untilMend(): number {
    return Math.min(...[...this.#slots.values()].map(({ mending }) => mending?.at ?? Infinity)) - performance.now()
  }

  async #mendAll(): Promise<number | undefined> {
    const due = [...this.#slots].filter(([, { mending }]) => mending && mending.at <= performance.now() + 1)
    await Promise.all(
      due.map(async ([organization, slot]) => {
        if (slot.repository && !slot.repository.failure) slot.mending = undefined
        if (slot.mending === undefined || this.#closing) return
        slot.mending.delay = Math.min(slot.mending.delay * 2, LAST_MEND_MS)
        slot.mending.at = Infinity
        // Why it fails is told as the organization's problem.
        await this.#open(organization).catch(() => this.#mend(slot))
      }),
    )
    const rest = this.#untilMend()
    return rest === Infinity ? undefined : rest
  }

  #transition(slot: Slot, run: () => Promise<void>): Promise<void> {
    const transition = run().finally(() => {
      slot.transition = undefined
    })
    slot.transition = transition
    // Whoever waits for it hears of its failure; nobody need be waiting.
    transition.catch(() => {})
    return transition
  }

  async #shut(slot: Slot): Promise<void> {
    const repository = slot.repository
    slot.repository = undefined
    await repository?.close()
  }

  async #bury(organization: string, slot: Slot): Promise<void> {
    const { directory, now } = this.#options
    await this.#shut(slot)
    const graveyard = join(dirname(directory), 'deleted')
    await makeFolder(graveyard)
    const time = new Date(now()).toISOString().replace(/[-:.]/g, '')
    await renameFile(join(directory, organization), join(graveyard, `${organization}-${time}`))
    await syncFolder(graveyard)
    await syncFolder(directory)
    this.#known.delete(organization)
    this.#slots.delete(organization)
  }

  /** Closes organizations that are idle for long, and the longest unused ones above the bound. */
  #sweep(): number {
    const { idleMs, maxOpen, now } = this.#options
    const open = [...this.#slots].filter(([, slot]) => slot.repository !== undefined)
    open.sort(([, a], [, b]) => a.used - b.used)
    let excess = open.length - maxOpen
    // Whoever is busy above the bound is looked at again soon.
    const next = excess > 0 ? AGAIN_MS : Math.min(SWEEP_MS, idleMs)
    for (const [organization, slot] of open) {
      // The clock may have been put back.
      slot.used = Math.min(slot.used, now())
      if (slot.transition || slot.readers > 0 || !slot.repository!.idle) continue
      if (excess <= 0 && slot.used > now() - idleMs) continue
      excess--
      this.#background.once('closing an idle organization', () =>
        this.#transition(slot, async () => {
          await this.#shut(slot)
          this.#slots.delete(organization)
        }),
      )
    }
    return next
  }

  async #closeAll(): Promise<void> {
    this.#sweeper.cancel(true)
    this.#mender.cancel(true)
    await Promise.all(
      [...this.#slots.values()].map(async slot => {
        await slot.transition?.catch(() => {})
        await this.#shut(slot)
      }),
    )
    this.#slots.clear()
    await this.#background.close()
  }
}
