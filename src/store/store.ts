/** The store: reads and writes by organization, whose repositories open when they are first used; who calls it never holds one. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Background, type Task } from '../background.ts'
import { Failure } from '../bundle/errors.ts'
import { judgeAtOnce } from '../project/judge.ts'
import { hasRepository } from './create-repository.ts'
import { makeFolder } from './disk.ts'
import { Durations } from './durations.ts'
import { MaintenanceCrew } from './git/maintenance.ts'
import { SILENT } from './log.ts'
import type { Author } from './objects/commit.ts'
import type { StoreLoad, StoreOptions } from './options.ts'
import { checkOrganization, isOrganization, Organization, type Shared } from './organization.ts'
import { Probe } from './probe.ts'
import type { Repository } from './repository.ts'
import { type History, type Resolved, resolveRevision } from './revisions.ts'
import { EMPTY_SNAPSHOT, ObjectCache, type Snapshot } from './snapshot.ts'
import { View } from './view/view.ts'
import type { Use, Written } from './write/batch.ts'

export type { JudgeEdit } from '../project/judge.ts'
export type { Logger } from './log.ts'
export type { Author, CommitMessage } from './objects/commit.ts'
export type { Entry } from './objects/tree.ts'
export type { StoreLoad, StoreOptions } from './options.ts'
export { checkOrganization } from './organization.ts'
export type { Resolved } from './revisions.ts'
export { EMPTY_SNAPSHOT, type Snapshot } from './snapshot.ts'
export type { Use, Written } from './write/batch.ts'
export type { Transaction } from './write/transaction.ts'

const SWEEP_MS = 30_000
const AGAIN_MS = 500
/** A request lives for minutes; nobody deletes so many organizations meanwhile. */
const REMOVED_KEPT = 10_000

/** What may be asked without a change: routes get no more, and write through `http/permitted-writes.ts`. */
export type ReadOnlyStore = Omit<Store, 'write' | 'changeRefs' | 'remove' | 'flush' | 'close'>

/** See the top of the file. One process at a time may have a store on a folder: {@link lockDataFolder}. */
export class Store {
  /** How long writes took from being asked for to being durable, and how long batches took to become git's. */
  readonly durations = { writes: new Durations(), seals: new Durations() }
  readonly #shared: Shared
  readonly #maxOpen: number
  readonly #idleMs: number
  /** Those in memory. */
  readonly #organizations = new Map<string, Organization>()
  /** Those that have a repository on the disk, as far as is known. */
  readonly #known = new Set<string>()
  /** Those removed by this process, the last ones: a request that began before must not make one anew. */
  readonly #removed = new Set<string>()
  readonly #probe: Probe
  readonly #background: Background
  readonly #sweeper: Task
  readonly #mender: Task
  #closing: Promise<void> | undefined

  private constructor(options: StoreOptions) {
    const { directory, maintenance, log = SILENT, cacheBytes = 64 * 1024 * 1024 } = options
    this.#maxOpen = options.maxOpen ?? 200
    this.#idleMs = options.idleMs ?? 600_000
    this.#background = (options.background ?? new Background(log)).group()
    this.#sweeper = this.#background.task({ name: 'closing idle organizations', run: () => this.#sweep() })
    this.#sweeper.in(Math.min(SWEEP_MS, this.#idleMs))
    this.#mender = this.#background.task({ name: 'opening failed organizations again', run: () => this.#mend() })
    this.#shared = {
      directory,
      log,
      now: options.now ?? Date.now,
      background: this.#background,
      watch: options.watch ?? true,
      judge: options.judge ?? judgeAtOnce,
      makeView: options.makeView ?? (view => new View(view)),
      cache: new ObjectCache(cacheBytes),
      crew: maintenance === false ? undefined : new MaintenanceCrew(maintenance),
      seals: this.durations.seals,
      onSealed: options.onSealed ?? (() => {}),
      opened: id => {
        this.#known.add(id)
        this.#sweeper.in(0)
      },
      failed: () => this.#mender.in(this.#untilMend()),
    }
    this.#probe = new Probe(directory, log)
  }

  /** Opens the folder, which is made when it is missing. */
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
    const open = this.#closing ? undefined : this.#organizations.get(organization)
    return open?.use()?.snapshot()
  }

  /**
   * The commit that `at` names: a full id, a release of the project `slug`, a tag, an abbreviated id or a time, by
   * {@link resolveRevision}. What it was then is `snapshot.at(revision)`, and {@link EMPTY_SNAPSHOT} for null.
   * @throws Failure `invalid`, `not-found`, and as {@link read} does
   */
  resolve(organization: string, at: string, slug?: string): Promise<Resolved> {
    const look = <T>(use: (history: History | undefined) => T) => this.look(organization, use)
    return resolveRevision(at, slug, look, use => this.readGit(organization, use))
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
   * Runs `use`, which waits for nothing (see {@link Use}), inside the organization's queue on its newest state, and commits what it changed;
   * resolves when that is durable. A throw leaves no trace and is passed on; no net change makes no commit.
   * @returns what `use` returned, and the commit that the state it left belongs to
   * @throws Failure `invalid` for an id that cannot be one, `not-found` for a removed organization, `no-space` or `unavailable`
   *   when it could not be made durable
   */
  async write<T>(organization: string, author: Author, use: Use<T>): Promise<Written<T>> {
    const asked = performance.now()
    const written = await this.#enter(organization, 'write', repository => repository!.write(author, use))
    this.durations.writes.add(performance.now() - asked)
    return written
  }

  /** Resolves when every write and change of refs that was asked for before is durable or refused. */
  async settle(organization: string): Promise<void> {
    if (!this.#organizations.has(organization)) return
    await this.#enter(organization, 'write', repository => repository!.settle()).catch(() => {})
  }

  /**
   * Moves an organization's folder to `deleted/<id>-<UTC time>` beside the store's folder, once its waiting writes are
   * through. To whoever reads later the organization is unknown; who writes later is refused, so that it cannot come back.
   */
  async remove(id: string): Promise<void> {
    checkOrganization(id)
    this.#removed.add(id)
    if (this.#removed.size > REMOVED_KEPT) this.#removed.delete(this.#removed.values().next().value!)
    // Opened first, so that it is recovered and sealed before it goes; one that cannot be opened goes as it is.
    await this.#enter(id, 'read', () => undefined).catch(error => {
      if (this.#closing || !(error instanceof Failure) || error.code !== 'unavailable') throw error
    })
    while (this.#organizations.has(id) || (await this.#exists(id))) {
      const organization = this.#organization(id)
      if (!organization.transition) {
        return organization.bury(() => {
          this.#known.delete(id)
          this.#organizations.delete(id)
        })
      }
      await organization.transition.catch(() => {})
    }
  }

  /** How many organizations there are, and what is wrong: outside files that break the rules, repositories that failed. */
  status(): { organizations: number; problems: { organization: string; path: string; error: string }[] } {
    const problems = [...this.#organizations.values()].flatMap(({ id, repository, error }) => {
      const failed = error ?? repository?.failure?.message ?? repository?.damage
      const own = failed === undefined ? [] : [{ path: '', error: failed }]
      return [...own, ...(repository?.problems() ?? [])].map(problem => ({ organization: id, ...problem }))
    })
    return { organizations: this.#known.size, problems }
  }

  /** Why the disk takes no writes at present, undefined when it does. See {@link Probe}. */
  unwritable(): Promise<Failure | undefined> {
    return this.#probe.failure()
  }

  /** What the store holds at this moment, of all organizations together. */
  load(): StoreLoad {
    const load = { open: 0, queued: 0, unsealed: 0, journalBytes: 0, cacheBytes: this.#shared.cache.bytes }
    for (const { repository } of this.#organizations.values()) {
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
    return (this.#organizations.get(organization)?.repository?.load.unsealed ?? 0) > 0
  }

  /** Seals what is acknowledged, of one organization or of all: objects, branch, work tree and index are on the disk then. */
  async flush(organization?: string): Promise<void> {
    const ids = organization === undefined ? [...this.#organizations.keys()] : [checkOrganization(organization)]
    const open = ids.filter(id => this.#organizations.has(id))
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
    id: string,
    purpose: 'read' | 'write',
    use: (repository: Repository | undefined) => T | Promise<T>,
  ): Promise<T> {
    checkOrganization(id)
    for (;;) {
      if (this.#closing) throw new Failure('unavailable', 'The server is shutting down.', { retryAfter: 1 })
      const organization = this.#organizations.get(id)
      if (organization?.serves(purpose)) return use(organization.use())
      if (organization) {
        await organization.open().catch(error => {
          // It may have failed and left one that is fit for reading.
          if (purpose === 'write' || !organization.repository) throw error
        })
      } else if (purpose === 'write' && this.#removed.has(id)) {
        throw new Failure('not-found', 'This organization has been deleted.')
      } else if (purpose === 'write' || (await this.#exists(id))) this.#organization(id)
      else return use(undefined)
    }
  }

  /** Keeps the organization's repository, made when there is none, open until `use` is through. */
  #hold<T>(id: string, use: (repository: Repository) => Promise<T>): Promise<T> {
    return this.#enter(id, 'write', async repository => {
      const organization = this.#organization(id)
      organization.readers++
      try {
        return await use(repository!)
      } finally {
        organization.readers--
      }
    })
  }

  async #exists(id: string): Promise<boolean> {
    return this.#known.has(id) || hasRepository(join(this.#shared.directory, id))
  }

  /** The organization in memory, put there when it is not. */
  #organization(id: string): Organization {
    let organization = this.#organizations.get(id)
    if (organization === undefined) this.#organizations.set(id, (organization = new Organization(id, this.#shared)))
    return organization
  }

  /** Milliseconds until the first one is due to be opened again. */
  #untilMend(): number {
    return Math.min(...[...this.#organizations.values()].map(({ mendAt }) => mendAt)) - performance.now()
  }

  async #mend(): Promise<number | undefined> {
    const due = [...this.#organizations.values()].filter(({ mendAt }) => mendAt <= performance.now() + 1)
    if (!this.#closing) await Promise.all(due.map(organization => organization.mend()))
    const rest = this.#untilMend()
    return rest === Infinity ? undefined : rest
  }

  /** Closes organizations that are idle for long, and the longest unused ones above the bound. */
  #sweep(): number {
    const now = this.#shared.now()
    const open = [...this.#organizations.values()].filter(({ repository }) => repository !== undefined)
    open.sort((a, b) => a.used - b.used)
    let excess = open.length - this.#maxOpen
    // Whoever is busy above the bound is looked at again soon.
    const next = excess > 0 ? AGAIN_MS : Math.min(SWEEP_MS, this.#idleMs)
    for (const organization of open) {
      // The clock may have been put back.
      organization.used = Math.min(organization.used, now)
      if (organization.isBusy || (excess <= 0 && organization.used > now - this.#idleMs)) continue
      excess--
      const forget = () => this.#organizations.delete(organization.id)
      this.#background.once('closing an idle organization', () => organization.close(forget))
    }
    return next
  }

  async #closeAll(): Promise<void> {
    this.#sweeper.cancel(true)
    this.#mender.cancel(true)
    await Promise.all(
      [...this.#organizations.values()].map(async organization => {
        await organization.transition?.catch(() => {})
        await organization.close()
      }),
    )
    this.#organizations.clear()
    await this.#background.close()
  }
}
