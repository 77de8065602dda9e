/** The store: reads and writes by organization. Repositories open when first used; callers never hold one. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { computeHere } from '../project/offload.ts'
import { Background } from '../scheduling/background.ts'
import { byteCache } from '../scheduling/byte-cache.ts'
import { Announcements, type CommitListener } from './announcements.ts'
import { hasRepository } from './create-repository.ts'
import { createFolder } from './disk.ts'
import { Durations } from './durations.ts'
import { SharedMaintenance } from './git/maintenance.ts'
import { IdleAndReopen } from './idle-and-reopen.ts'
import { SILENT } from './log.ts'
import type { Author } from './objects/commit.ts'
import { checkOrganization, isOrganization, OpenOrganization, type StoreContext } from './open-organization.ts'
import type { StoreLoad, StoreOptions } from './options.ts'
import type { OrganizationRepository } from './organization-repository.ts'
import { Probe } from './probe.ts'
import type { ChangeRefs } from './refs/change-refs.ts'
import { type BranchCommit, branchCommit, newestFirst } from './revisions/commits.ts'
import { newestChange } from './revisions/newest-change.ts'
import type { LookAtPast, RepositoryPast, RunGit } from './revisions/past.ts'
import { type Resolved, resolveRevision } from './revisions/resolve-revision.ts'
import { EMPTY_SNAPSHOT, type Snapshot } from './snapshot.ts'
import { WorkTree } from './work-tree/work-tree.ts'
import type { AcknowledgedWrite, WriteFunction } from './write/batch.ts'

export type { Offload } from '../project/offload.ts'
export type { CommitMessage } from './objects/commit.ts'
export type { StoreLoad, StoreOptions } from './options.ts'
export { type BranchCommit, type MainLineCommit, NO_REVISION } from './revisions/commits.ts'
export type { Resolved } from './revisions/resolve-revision.ts'
export { EMPTY_SNAPSHOT, type Snapshot } from './snapshot.ts'
export type { AcknowledgedWrite, ProposedCommit, WriteFunction } from './write/batch.ts'
export type { Transaction } from './write/transaction.ts'

/** Requests live for minutes; fewer organizations are deleted in that time. */
const REMOVED_KEPT = 10_000

/** The store without changes: routes get no more, and write through `http/writing/permitted-writes.ts`. */
export type ReadOnlyStore = Omit<Store, 'write' | 'changeRefs' | 'remove' | 'flush' | 'close'>

/** One process at a time may open a folder: {@link lockDataFolder}. */
export class Store {
  /** Durations of writes until they are durable, and of seals. */
  readonly durations = { writes: new Durations(), seals: new Durations() }
  readonly #shared: StoreContext
  readonly #organizations = new Map<string, OpenOrganization>()
  /** Those with a repository on the disk, as far as known. */
  readonly #known = new Set<string>()
  /** The last ones removed by this process: an older request must not create one again. */
  readonly #removed = new Set<string>()
  /** Searches of {@link newestChange} under way, which equal ones join. */
  readonly #searches = new Map<string, Promise<string | null>>()
  readonly #announcements = new Announcements()
  readonly #probe: Probe
  readonly #background: Background
  readonly #idleAndReopen: IdleAndReopen
  #closing: Promise<void> | undefined

  private constructor(options: StoreOptions) {
    const { directory, maintenance, log = SILENT, cacheBytes = 64 * 1024 * 1024 } = options
    const { maxOpen = 200, idleMs = 600_000, now = Date.now } = options
    const background = (options.background ?? new Background(log)).group()
    const organizations = this.#organizations
    this.#background = background
    this.#idleAndReopen = new IdleAndReopen({ organizations, background, now, maxOpen, idleMs })
    this.#shared = {
      directory,
      log,
      now,
      background,
      watch: options.watch ?? true,
      compute: options.compute ?? computeHere,
      createWorkTree: options.createWorkTree ?? (view => new WorkTree(view)),
      cache: byteCache(cacheBytes),
      crew: maintenance === false ? undefined : new SharedMaintenance(maintenance),
      seals: this.durations.seals,
      sharedLog: options.sharedLog,
      onSealed: options.onSealed ?? (() => {}),
      adding: options.adding ?? (async () => {}),
      opened: id => {
        this.#known.add(id)
        this.#idleAndReopen.opened()
        this.#announcements.opened(id)
      },
      committed: (id, records) => this.#announcements.committed(id, records),
      failed: () => this.#idleAndReopen.failed(),
    }
    this.#probe = new Probe(directory, log)
  }

  static async open(options: StoreOptions): Promise<Store> {
    const store = new Store(options)
    await createFolder(options.directory)
    for (const name of await readdir(options.directory)) if (isOrganization(name)) store.#known.add(name)
    return store
  }

  /**
   * Runs the synchronous `use` on the newest durable state; without a repository on the empty one.
   * @throws Failure `invalid` for an impossible id, `unavailable` when the repository cannot be opened
   */
  read<T>(organization: string, use: (snapshot: Snapshot) => T): Promise<T> {
    return this.#enter(organization, 'read', repository => use(repository?.snapshot() ?? EMPTY_SNAPSHOT))
  }

  /** The newest durable state, at once, if the organization is open and not behind what another node wrote. */
  snapshot(organization: string): Snapshot | undefined {
    const open = this.#closing ? undefined : this.#organizations.get(organization)?.use()
    return open && !open.isBehind('read') ? open.snapshot() : undefined
  }

  /**
   * The commit that `at` names, by {@link resolveRevision}; null is the state {@link EMPTY_SNAPSHOT}.
   * @throws Failure `invalid`, `not-found`, and as {@link read} does
   */
  resolve(organization: string, at: string, slug?: string, within?: readonly string[]): Promise<Resolved> {
    return resolveRevision(at, slug, ...this.#past(organization), within)
  }

  /** The newest commit, not after `revision`, that changed a folder. @throws Failure as {@link newestChange} */
  newestChange(organization: string, folders: readonly string[], revision: string): Promise<string | null> {
    const name = [organization, revision, ...folders].join(' ')
    const running = this.#searches.get(name)
    if (running) return running
    const found = newestChange(folders, revision, ...this.#past(organization))
    const search = found.finally(() => this.#searches.delete(name))
    this.#searches.set(name, search)
    return search
  }

  /** A commit of the branch by its full id. @throws Failure `not-found`, and as {@link read} does */
  commit(organization: string, revision: string): Promise<BranchCommit> {
    return branchCommit(revision, ...this.#past(organization))
  }

  /** Commits of the branch, descendants first. @throws Failure `unsupported` for several without git */
  inOrder(organization: string, commits: readonly BranchCommit[]): Promise<BranchCommit[]> {
    return newestFirst(commits, use => this.readGit(organization, use))
  }

  /** Runs the synchronous `use` on the open repository, undefined when there is none. @throws as {@link read} does */
  look<T>(organization: string, use: (history: RepositoryPast | undefined) => T): Promise<T> {
    return this.#enter(organization, 'read', repository => use(repository?.history))
  }

  /**
   * Runs a change of refs beside the branch, one at a time, once all that is acknowledged is in git's objects. The
   * repository stays open until `use` is through. `use` changes refs by `change` alone.
   * @throws Failure as {@link write} and `use` do
   */
  changeRefs<T>(organization: string, use: (history: RepositoryPast, change: ChangeRefs) => Promise<T>): Promise<T> {
    return this.#hold(organization, repository => repository.changeRefs(use))
  }

  /**
   * Runs `use` (see {@link WriteFunction}) in the queue on the newest state and commits what it changed; durable when
   * it resolves. A throw leaves no trace and is passed on; without a net change there is no commit.
   * @returns the result of `use`, and the commit of the state it left
   * @throws Failure `invalid` for an impossible id, `not-found` for a removed organization; `no-space` or `unavailable`
   * when the disk refused
   */
  async write<T>(organization: string, author: Author, use: WriteFunction<T>): Promise<AcknowledgedWrite<T>> {
    const asked = performance.now()
    const written = await this.#enter(organization, 'write', repository => repository!.write(author, use))
    this.durations.writes.add(performance.now() - asked)
    return written
  }

  /** See {@link Announcements.listen}; the organization may close meanwhile, or be removed. */
  listen(organization: string, listener: CommitListener): () => void {
    return this.#announcements.listen(organization, listener)
  }

  /** Resolves when all earlier writes and changes of refs are durable or refused. */
  async settle(organization: string): Promise<void> {
    if (!this.#organizations.has(organization)) return
    await this.#enter(organization, 'write', repository => repository!.settle()).catch(() => {})
  }

  /**
   * Moves an organization's folder to `deleted/<id>-<UTC time>` beside the store's, after its waiting writes. Later
   * readers do not find it, later writers are refused.
   * @param elsewhere whether another node removes it for all; its entries may be gone then
   */
  async remove(id: string, elsewhere = false): Promise<void> {
    checkOrganization(id)
    this.#removed.add(id)
    if (this.#removed.size > REMOVED_KEPT) this.#removed.delete(this.#removed.values().next().value!)
    // Opened first, to be recovered and sealed; one that cannot be opened goes as it is.
    if (!elsewhere) {
      await this.#enter(id, 'read', () => undefined).catch(error => {
        if (this.#closing || !(error instanceof Failure) || error.code !== 'unavailable') throw error
      })
    }
    await this.#bury(id)
    if (!elsewhere) await this.#shared.sharedLog?.remove(id)
  }

  async #bury(id: string): Promise<void> {
    while (this.#organizations.has(id) || (await this.#isHere(id))) {
      const organization = this.#organization(id)
      if (!organization.transition) {
        return organization.moveToDeleted(() => {
          this.#known.delete(id)
          this.#organizations.delete(id)
        })
      }
      await organization.transition.catch(() => {})
    }
  }

  /** How many organizations there are, and what is wrong: bad outside files, failed repositories. */
  status(): { organizations: number; problems: { organization: string; path: string; error: string }[] } {
    const problems = [...this.#organizations.values()].flatMap(({ id, repository, error }) => {
      const failed = error ?? repository?.failure?.message ?? repository?.damage
      const own = failed === undefined ? [] : [{ path: '', error: failed }]
      return [...own, ...(repository?.problems() ?? [])].map(problem => ({ organization: id, ...problem }))
    })
    return { organizations: this.#known.size, problems }
  }

  unwritable(): Promise<Failure | undefined> {
    return this.#probe.failure()
  }

  load(): StoreLoad {
    const load = { open: 0, queued: 0, unsealed: 0, journalBytes: 0, cacheBytes: this.#shared.cache.calculatedSize }
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

  organizations(): string[] {
    return [...this.#known]
  }

  /** Whether an organization has acknowledged writes that its branch lacks. */
  isUnsealed(organization: string): boolean {
    return (this.#organizations.get(organization)?.repository?.load.unsealed ?? 0) > 0
  }

  /** Seals one organization or all: objects, branch, work tree and index are then on the disk. */
  async flush(organization?: string): Promise<void> {
    const ids = organization === undefined ? [...this.#organizations.keys()] : [checkOrganization(organization)]
    const open = ids.filter(id => this.#organizations.has(id))
    await Promise.all(open.map(id => this.#enter(id, 'write', repository => repository!.flush())))
  }

  /**
   * Runs `use` on the git directory, for git's own programs: it holds all that was acknowledged before. Creates a
   * missing repository; it stays open until `use` is through.
   * @throws Failure as {@link write} does
   */
  readGit<T>(organization: string, use: (gitDir: string) => Promise<T>): Promise<T> {
    return this.#hold(organization, async repository => use(await repository.seal()))
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  /**
   * Runs `use` on the open repository in one turn, so that nothing closes it. For `write` it is sound, and created when
   * missing; for `read` it may be undefined, or an old one that is being reopened after a failure.
   */
  async #enter<T>(
    id: string,
    purpose: 'read' | 'write',
    use: (repository: OrganizationRepository | undefined) => T | Promise<T>,
  ): Promise<T> {
    checkOrganization(id)
    for (let hasCaughtUp = false; ; ) {
      if (this.#closing) throw new Failure('unavailable', 'The server is shutting down.', { retryAfter: 1 })
      const organization = this.#organizations.get(id)
      if (organization?.serves(purpose)) {
        const repository = organization.use()!
        if (hasCaughtUp || !repository.isBehind(purpose)) return use(repository)
        await repository.catchUp()
        // What was heard since then is not for this caller.
        hasCaughtUp = true
      } else if (organization) {
        await organization.open().catch(error => {
          // Opening may fail and still leave one that is fit for reading.
          if (purpose === 'write' || !organization.serves(purpose)) throw error
        })
      } else if (purpose === 'write' && this.#removed.has(id)) {
        throw new Failure('not-found', 'This organization has been deleted.')
      } else if (purpose === 'write' || (await this.#exists(id))) this.#organization(id)
      else return use(undefined)
    }
  }

  #past(organization: string): [LookAtPast, RunGit] {
    return [use => this.look(organization, use), use => this.readGit(organization, use)]
  }

  /** Holds the repository, created when missing, open until `use` is through. */
  #hold<T>(id: string, use: (repository: OrganizationRepository) => Promise<T>): Promise<T> {
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

  /** Whether it was ever written to, here or by another node. */
  async #exists(id: string): Promise<boolean> {
    return (await this.#isHere(id)) || ((await this.#shared.sharedLog?.has(id)) ?? false)
  }

  async #isHere(id: string): Promise<boolean> {
    return this.#known.has(id) || hasRepository(join(this.#shared.directory, id))
  }

  #organization(id: string): OpenOrganization {
    let organization = this.#organizations.get(id)
    if (organization === undefined) this.#organizations.set(id, (organization = new OpenOrganization(id, this.#shared)))
    return organization
  }

  async #closeAll(): Promise<void> {
    this.#idleAndReopen.close()
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
