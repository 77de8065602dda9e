/** The store: reads and writes by organization; who calls it never holds a repository. */
import type { Failure } from '../bundle/errors.ts'
import { Durations } from './durations.ts'
import { SILENT } from './log.ts'
import { OpenRepositories } from './open-repositories.ts'
import type { StoreLoad, StoreOptions } from './options.ts'
import { checkOrganization } from './organization.ts'
import { Probe } from './probe.ts'
import { type History, type Resolved, resolveRevision } from './revisions.ts'
import { EMPTY_SNAPSHOT, type Snapshot } from './snapshot.ts'
import type { Use, Written } from './write/batch.ts'
import type { Author } from './write/commit.ts'

export type { Logger } from './log.ts'
export type { Entry } from './objects/tree.ts'
export type { StoreLoad, StoreOptions } from './options.ts'
export { checkOrganization } from './organization.ts'
export type { Resolved } from './revisions.ts'
export { EMPTY_SNAPSHOT, type Snapshot } from './snapshot.ts'
export type { JudgeEdit } from './view/judge.ts'
export type { Use, Written } from './write/batch.ts'
export type { Author, CommitMessage } from './write/commit.ts'
export type { Transaction } from './write/transaction.ts'

/** What may be asked without a change: routes get no more, and write through `http/permitted-writes.ts`. */
export type ReadOnlyStore = Omit<Store, 'write' | 'changeRefs' | 'remove' | 'flush' | 'close'>

/** See the top of the file. One process at a time may have a store on a folder: {@link lockDataFolder}. */
export class Store {
  /** How long writes took from being asked for to being durable, and how long batches took to become git's. */
  readonly durations = { writes: new Durations(), seals: new Durations() }
  readonly #open: OpenRepositories
  readonly #probe: Probe
  /** What is asked for and not yet durable or refused, by organization. */
  readonly #underWay = new Map<string, Set<Promise<unknown>>>()

  private constructor(options: StoreOptions) {
    this.#open = new OpenRepositories(options, this.durations.seals)
    this.#probe = new Probe(options.directory, options.log ?? SILENT)
  }

  /** Opens the folder; organizations open when they are first used. */
  static async open(options: StoreOptions): Promise<Store> {
    const store = new Store(options)
    await store.#open.find()
    return store
  }

  /**
   * Runs `use`, which must be synchronous, on the newest durable state; of an organization that has none, on the empty one.
   * @throws Failure `invalid` for an id that cannot be one, `unavailable` when the repository cannot be opened
   */
  read<T>(organization: string, use: (snapshot: Snapshot) => T): Promise<T> {
    return this.#open.enter(organization, 'read', repository => use(repository?.snapshot() ?? EMPTY_SNAPSHOT))
  }

  /** The newest durable state, at once: of an organization that is open, as any is that was read or written lately; else undefined. */
  snapshot(organization: string): Snapshot | undefined {
    return this.#open.touch(organization)?.snapshot()
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
    return this.#open.enter(organization, 'read', repository => use(repository?.history))
  }

  /**
   * Runs a change of tags and other refs beside the branch, one at a time, on a repository in which everything acknowledged
   * before the call is in git's objects. It stays open until `use` is through.
   * @throws Failure as {@link write} and `use` do
   */
  changeRefs<T>(organization: string, use: (history: History) => Promise<T>): Promise<T> {
    return this.#follow(
      organization,
      this.#open.hold(organization, repository => repository.changeRefs(use)),
    )
  }

  /**
   * Runs `use`, which must be synchronous, inside the organization's queue on its newest state, and commits what it changed;
   * resolves when that is durable. A throw leaves no trace and is passed on; no net change makes no commit.
   * @returns what `use` returned, and the commit that the state it left belongs to
   * @throws Failure `invalid` for an id that cannot be one, `not-found` for a removed organization, `no-space` or `unavailable`
   *   when it could not be made durable
   */
  async write<T>(organization: string, author: Author, use: Use<T>): Promise<Written<T>> {
    const asked = performance.now()
    const writing = this.#open.enter(organization, 'write', repository => repository!.write(author, use))
    const written = await this.#follow(organization, writing)
    this.durations.writes.add(performance.now() - asked)
    return written
  }

  /** Resolves when every write and change of refs that was asked for before is durable or refused. */
  async settle(organization: string): Promise<void> {
    await Promise.allSettled(this.#underWay.get(organization) ?? [])
  }

  /**
   * Moves an organization's folder to `deleted/<id>-<UTC time>` beside the store's folder, once its waiting writes are
   * through. To whoever reads later the organization is unknown; who writes later is refused, so that it cannot come back.
   */
  remove(organization: string): Promise<void> {
    return this.#open.remove(organization)
  }

  /** How many organizations there are, and what is wrong: outside files that break the rules, repositories that failed. */
  status(): { organizations: number; problems: { organization: string; path: string; error: string }[] } {
    const problems = [...this.#open.slots].flatMap(([organization, { repository, error }]) => {
      const failed = error ?? repository?.failure?.message ?? repository?.damage
      const own = failed === undefined ? [] : [{ path: '', error: failed }]
      return [...own, ...(repository?.problems() ?? [])].map(problem => ({ organization, ...problem }))
    })
    return { organizations: this.#open.known.size, problems }
  }

  /** Why the disk takes no writes at present, undefined when it does. See {@link Probe}. */
  unwritable(): Promise<Failure | undefined> {
    return this.#probe.failure()
  }

  /** What the store holds at this moment, of all organizations together. */
  load(): StoreLoad {
    const load = { open: 0, queued: 0, unsealed: 0, journalBytes: 0, cacheBytes: this.#open.cacheBytes }
    for (const { repository } of this.#open.slots.values()) {
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
    return [...this.#open.known]
  }

  /** Whether an organization has acknowledged writes that are not in its branch yet. */
  isUnsealed(organization: string): boolean {
    return (this.#open.slots.get(organization)?.repository?.load.unsealed ?? 0) > 0
  }

  /** Seals what is acknowledged, of one organization or of all: objects, branch, work tree and index are on the disk then. */
  async flush(organization?: string): Promise<void> {
    const { slots } = this.#open
    const ids = organization === undefined ? [...slots.keys()] : [checkOrganization(organization)]
    const open = ids.filter(id => slots.has(id))
    await Promise.all(open.map(id => this.#open.enter(id, 'write', repository => repository!.flush())))
  }

  /**
   * Runs `use` on the organization's git directory, for git's own programs to read: everything acknowledged before the call
   * is in its objects and its branch. An organization without a repository gets an empty one. It stays open until `use` is
   * through.
   * @throws Failure as {@link write} does
   */
  readGit<T>(organization: string, use: (gitDir: string) => Promise<T>): Promise<T> {
    return this.#open.hold(organization, async repository => use(await repository.seal()))
  }

  /** Finishes and seals everything; the store takes nothing more. */
  close(): Promise<void> {
    return this.#open.close()
  }

  async #follow<T>(organization: string, change: Promise<T>): Promise<T> {
    const changes = this.#underWay.get(organization) ?? new Set()
    this.#underWay.set(organization, changes.add(change))
    try {
      return await change
    } finally {
      changes.delete(change)
      if (changes.size === 0 && this.#underWay.get(organization) === changes) this.#underWay.delete(organization)
    }
  }
}
