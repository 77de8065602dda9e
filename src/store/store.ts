/** The store: reads and writes by organization; who calls it never holds a repository. */
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { hasRepository } from './create-repository.ts'
import { makeFolder, renameFile, syncFolder, systemFailure } from './disk.ts'
import { Durations } from './durations.ts'
import { MaintenanceCrew } from './git/maintenance.ts'
import { SILENT, within } from './log.ts'
import type { StoreLoad, StoreOptions } from './options.ts'
import { checkOrganization, isOrganization } from './organization.ts'
import { Probe } from './probe.ts'
import { Repository } from './repository.ts'
import { type History, type Resolved, resolveRevision } from './revisions.ts'
import { EMPTY_SNAPSHOT, ObjectCache, type Snapshot } from './snapshot.ts'
import { View } from './view/view.ts'
import type { Use, Written } from './write/batch.ts'
import type { Author } from './write/commit.ts'

export type { Logger } from './log.ts'
export type { Entry } from './objects/tree.ts'
export type { StoreLoad, StoreOptions } from './options.ts'
export { checkOrganization } from './organization.ts'
export type { Resolved } from './revisions.ts'
export { EMPTY_SNAPSHOT, type Snapshot } from './snapshot.ts'
export type { Use, Written } from './write/batch.ts'
export type { Author, CommitMessage } from './write/commit.ts'
export type { Transaction } from './write/transaction.ts'

/** An organization in memory. At most one of opening, reopening, closing and removing goes on at a time. */
interface Slot {
  repository?: Repository
  transition?: Promise<unknown>
  used: number
  /** How many read or change its repository beside the queue, such as git's own processes: it is not closed under them. */
  readers: number
  /** Why it could not be opened, for the status. */
  error?: string
  /** Opens it again after a failure of the disk, so that it is well again once that is, whether or not anybody asks for it. */
  mending?: NodeJS.Timeout
}

const SWEEP_MS = 30_000
const AGAIN_MS = 500
const FIRST_MEND_MS = 500
const LAST_MEND_MS = 30_000

/** See the top of the file. One process at a time may have a store on a folder: {@link lockDataFolder}. */
export class Store {
  /** How long writes took from being asked for to being durable, and how long batches took to become git's. */
  readonly durations = { writes: new Durations(), seals: new Durations() }
  readonly #options: Required<Omit<StoreOptions, 'cacheBytes' | 'maintenance'>>
  readonly #cache: ObjectCache
  readonly #crew: MaintenanceCrew | undefined
  readonly #slots = new Map<string, Slot>()
  /** Organizations that have a repository on the disk, as far as is known. */
  readonly #known = new Set<string>()
  readonly #probe: Probe
  readonly #sweeper: NodeJS.Timeout
  #again: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  private constructor(options: StoreOptions) {
    this.#options = {
      now: Date.now,
      log: SILENT,
      watch: true,
      maxOpen: 200,
      idleMs: 600_000,
      onSealed: () => {},
      makeView: view => new View(view),
      ...options,
    }
    if (options.maintenance !== false) this.#crew = new MaintenanceCrew(options.maintenance)
    this.#cache = new ObjectCache(options.cacheBytes ?? 64 * 1024 * 1024)
    this.#probe = new Probe(options.directory, this.#options.log)
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, this.#options.idleMs)).unref()
  }

  /** Opens the folder; organizations open when they are first used. */
  static async open(options: StoreOptions): Promise<Store> {
    const store = new Store(options)
    await makeFolder(options.directory)
    for (const name of await readdir(options.directory)) if (isOrganization(name)) store.#known.add(name)
    return store
  }

  /**
   * Runs `use`, which must be synchronous, on the newest durable state; of an organization that has none, on the empty one.
   * @throws Failure `invalid` for an id that cannot be one, `unavailable` when the repository cannot be opened
   */
  read<T>(organization: string, use: (snapshot: Snapshot) => T): Promise<T> {
    return this.#enter(organization, 'read', repository => use(repository?.snapshot() ?? EMPTY_SNAPSHOT))
  }

  /** The newest durable state, at once: of an organization that is open, as any is that was read or written lately; else undefined. */
  snapshot(organization: string): Snapshot | undefined {
    const slot = this.#closing ? undefined : this.#slots.get(organization)
    if (slot?.repository === undefined) return undefined
    slot.used = this.#options.now()
    return slot.repository.snapshot()
  }

  /**
   * The commit that `at` names: a full id, a release of the project `slug`, a tag, an abbreviated id or a time, by
   * {@link resolveRevision}. What it was then is `snapshot.at(revision)`, and {@link EMPTY_SNAPSHOT} for null.
   * @throws Failure `invalid`, `not-found`, and as {@link read} does
   */
  resolve(organization: string, at: string, slug?: string): Promise<Resolved> {
    return resolveRevision(at, slug, use => this.look(organization, use))
  }

  /** Runs `use`, which must be synchronous, on the organization's open repository; undefined when it has none. @throws as {@link read} does */
  look<T>(organization: string, use: (history: History | undefined) => T): Promise<T> {
    return this.#enter(organization, 'read', repository => use(repository?.history))
  }

  /**
   * Runs a change of tags and other refs beside the branch, one at a time, on a repository in which everything acknowledged
   * before the call is in git's objects. It stays open until `use` is through.
   * @throws Failure as {@link write} and `use` do
   */
  changeRefs<T>(organization: string, use: (history: History) => Promise<T>): Promise<T> {
    return this.#hold(organization, repository => repository.changeRefs(use))
  }

  /**
   * Runs `use`, which must be synchronous, inside the organization's queue on its newest state, and commits what it changed;
   * resolves when that is durable. A throw leaves no trace and is passed on; no net change makes no commit.
   * @returns what `use` returned, and the commit that the state it left belongs to
   * @throws Failure `invalid` for an id that cannot be one, `no-space` or `unavailable` when it could not be made durable
   */
  async write<T>(organization: string, author: Author, use: Use<T>): Promise<Written<T>> {
    const asked = performance.now()
    const written = await this.#enter(organization, 'write', repository => repository!.write(author, use))
    this.durations.writes.add(performance.now() - asked)
    return written
  }

  /**
   * Moves an organization's folder to `deleted/<id>-<UTC time>` beside the store's folder, once its waiting writes are
   * through. To whoever comes later the organization is unknown.
   */
  async remove(organization: string): Promise<void> {
    // Opened first, so that it is recovered and sealed before it goes; one that cannot be opened goes as it is.
    await this.read(organization, () => undefined).catch(error => {
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

  /** How many organizations there are, and what is wrong: outside files that break the rules, repositories that failed. */
  status(): { organizations: number; problems: { organization: string; path: string; error: string }[] } {
    const problems = [...this.#slots].flatMap(([organization, { repository, error }]) => {
      const failed = error ?? repository?.failure?.message ?? repository?.damage
      const own = failed === undefined ? [] : [{ path: '', error: failed }]
      return [...own, ...(repository?.problems() ?? [])].map(problem => ({ organization, ...problem }))
    })
    return { organizations: this.#known.size, problems }
  }

  /** Why the disk takes no writes at present, undefined when it does. See {@link Probe}. */
  unwritable(): Promise<Failure | undefined> {
    return this.#probe.failure()
  }

  /** What the store holds at this moment, of all organizations together. */
  load(): StoreLoad {
    const load = { open: 0, queued: 0, unsealed: 0, journalBytes: 0, cacheBytes: this.#cache.bytes }
    for (const { repository } of this.#slots.values()) {
      if (repository === undefined) continue
      const { queued, unsealed, journalBytes } = repository.load
      load.open++
      load.queued += queued
      load.unsealed += unsealed
      load.journalBytes += journalBytes
    }
    return load
  }

  /** The ids of all organizations that have a repository. */
  organizations(): string[] {
    return [...this.#known]
  }

  /** Whether an organization has acknowledged writes that are not in its branch yet. */
  isUnsealed(organization: string): boolean {
    return (this.#slots.get(organization)?.repository?.load.unsealed ?? 0) > 0
  }

  /** Seals what is acknowledged, of one organization or of all: objects, branch, work tree and index are on the disk then. */
  async flush(organization?: string): Promise<void> {
    const ids = organization === undefined ? [...this.#slots.keys()] : [checkOrganization(organization)]
    const open = ids.filter(id => this.#slots.has(id))
    await Promise.all(open.map(id => this.#enter(id, 'write', repository => repository!.flush())))
  }

  /**
   * Runs `use` on the organization's git directory, for git's own programs to read: everything acknowledged before the call
   * is in its objects and its branch. An organization without a repository gets an empty one. It stays open until `use` is
   * through.
   * @throws Failure as {@link write} does
   */
  readGit<T>(organization: string, use: (gitDir: string) => Promise<T>): Promise<T> {
    return this.#hold(organization, async repository => use(await repository.seal()))
  }

  /** Finishes and seals everything; the store takes nothing more. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  /**
   * Runs `use` on the organization's open repository, without a turn of the event loop between: nothing can close it there.
   * For `write` the repository is sound, and made when there is none; for `read` it may be undefined, and still serves its
   * last durable state while it is reopened after a failure.
   */
  async #enter<T>(
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
      } else if (slot || purpose === 'write' || (await this.#exists(organization))) {
        await this.#open(organization).catch(error => {
          if (purpose === 'write' || !this.#slots.get(organization)?.repository) throw error
        })
      } else return use(undefined)
    }
  }

  /** Keeps the organization's repository, made when there is none, open until `use` is through. */
  #hold<T>(organization: string, use: (repository: Repository) => Promise<T>): Promise<T> {
    return this.#enter(organization, 'write', async repository => {
      const slot = this.#slots.get(organization)!
      slot.readers++
      try {
        return await use(repository!)
      } finally {
        slot.readers--
      }
    })
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
    const { directory, now, watch, makeView } = this.#options
    const log = within(this.#options.log, organization)
    const failed = slot.repository
    try {
      await failed?.abandon()
      const workTree = join(directory, organization)
      const until = failed?.head
      const { seals } = this.durations
      const sealed = () => this.#options.onSealed(organization)
      slot.repository = await Repository.open({
        workTree,
        cache: this.#cache,
        now,
        log,
        watch,
        makeView,
        crew: this.#crew,
        until,
        seals,
        sealed,
        failed: () => this.#mend(organization, slot, FIRST_MEND_MS),
        // The one that failed serves the same, and has it in its cache.
        readable: failed === undefined,
      })
      if (slot.repository.failure) throw slot.repository.failure
      slot.error = undefined
      clearTimeout(slot.mending)
      this.#known.add(organization)
      failed?.release()
    } catch (error) {
      log.error({ err: error }, 'the repository cannot be opened')
      slot.error = error instanceof Error ? error.message : String(error)
      const failure = systemFailure(error)
      if (failure) this.#mend(organization, slot, FIRST_MEND_MS)
      if (error instanceof Failure) throw error
      if (failure) throw failure
      throw new Failure('unavailable', "The organization's repository cannot be opened; the server's log says why.")
    }
    this.#sweep()
  }

  /** Opens an organization again after a while, and again until it succeeds. */
  #mend(organization: string, slot: Slot, delay: number): void {
    clearTimeout(slot.mending)
    if (this.#closing) return
    slot.mending = setTimeout(async () => {
      if (this.#slots.get(organization) !== slot || (slot.repository && !slot.repository.failure)) return
      await this.#open(organization).catch(() => this.#mend(organization, slot, Math.min(delay * 2, LAST_MEND_MS)))
    }, delay).unref()
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
  #sweep(): void {
    const { idleMs, maxOpen, now } = this.#options
    const open = [...this.#slots].filter(([, slot]) => slot.repository !== undefined)
    open.sort(([, a], [, b]) => a.used - b.used)
    let excess = open.length - maxOpen
    clearTimeout(this.#again)
    // Whoever is busy above the bound is looked at again soon, not only when the sweeper comes round.
    if (excess > 0 && !this.#closing) this.#again = setTimeout(() => this.#sweep(), AGAIN_MS).unref()
    for (const [organization, slot] of open) {
      // The clock may have been put back.
      slot.used = Math.min(slot.used, now())
      if (slot.transition || slot.readers > 0 || !slot.repository!.idle) continue
      if (excess <= 0 && slot.used > now() - idleMs) continue
      excess--
      void this.#transition(slot, async () => {
        await this.#shut(slot)
        this.#slots.delete(organization)
      })
    }
  }

  async #closeAll(): Promise<void> {
    clearInterval(this.#sweeper)
    clearTimeout(this.#again)
    await Promise.all(
      [...this.#slots.values()].map(async slot => {
        clearTimeout(slot.mending)
        await slot.transition?.catch(() => {})
        await this.#shut(slot)
      }),
    )
    this.#slots.clear()
  }
}
