/** One organization in memory: its repository is opened, reopened, closed or moved, one at a time. */
import { dirname, join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { createFolder, renameFile, syncFolder, systemFailure } from './disk.ts'
import { logWithOrganization } from './log.ts'
import type { RepositoryOptions } from './options.ts'
import { OrganizationRepository } from './organization-repository.ts'
import type { JournalCommit } from './write/journal.ts'

const ORGANIZATION = /^[A-Za-z0-9_-]{1,64}$/
const FIRST_MEND_MS = 500
const LAST_MEND_MS = 30_000

export const isOrganization = (name: string): boolean => ORGANIZATION.test(name)

/** @throws Failure `invalid` for what cannot be an organization's id */
export function checkOrganization(organization: string): string {
  if (isOrganization(organization)) return organization
  throw new Failure('invalid', 'An organization id is 1 to 64 letters, digits, hyphens and underscores.')
}

export interface StoreContext
  extends Pick<
    RepositoryOptions,
    'cache' | 'now' | 'log' | 'background' | 'createWorkTree' | 'compute' | 'watch' | 'crew' | 'seals' | 'sharedLog'
  > {
  directory: string
  adding(organization: string, slug: string): Promise<void>
  onSealed(organization: string): void
  opened(organization: string): void
  committed(organization: string, records: JournalCommit[]): void
  failed(): void
}

/** Callers hold its repository for one turn of the event loop, except {@link readers}. */
export class OpenOrganization {
  readonly id: string
  /** Undefined during the first opening, and once closed. */
  repository: OrganizationRepository | undefined
  /** At most one of opening, closing and moving away. */
  transition: Promise<void> | undefined
  used: number
  /** Users beside the queue, such as git's processes: the repository is not closed under them. */
  readers = 0
  error: string | undefined
  /** When to reopen it after a disk failure (`performance.now()`), whether or not anybody asks. */
  reopenAt = Infinity
  #mendDelay = FIRST_MEND_MS
  readonly #shared: StoreContext

  constructor(id: string, shared: StoreContext) {
    this.id = id
    this.#shared = shared
    this.used = shared.now()
  }

  /** Whether its repository may be used: a sound one, and for a read one that failed with all that there is, too. */
  serves(purpose: 'read' | 'write'): boolean {
    const { repository, transition } = this
    if (repository === undefined) return false
    if (purpose === 'write') return !transition && !repository.failure
    return !repository.failure || !repository.isBehind('read')
  }

  use(): OrganizationRepository | undefined {
    this.used = this.#shared.now()
    return this.repository
  }

  get isBusy(): boolean {
    return this.transition !== undefined || this.readers > 0 || !this.repository!.idle
  }

  open(): Promise<void> {
    return this.transition ?? this.#run(() => this.#load())
  }

  /** Reopens it after a failure, and again until that succeeds. */
  async reopen(): Promise<void> {
    this.reopenAt = Infinity
    if (this.repository && !this.repository.failure) this.#mendDelay = FIRST_MEND_MS
    else {
      this.#mendDelay = Math.min(this.#mendDelay * 2, LAST_MEND_MS)
      // The organization's problem has the reason.
      await this.open().catch(() => this.#fail())
    }
  }

  /** Finishes, seals and closes it. @param then called before anything else can begin */
  close(then = () => {}): Promise<void> {
    return this.#run(async () => {
      await this.#shut()
      then()
    })
  }

  /** Closes it and moves its folder to `deleted/<id>-<UTC time>` beside the store's. @param then as in {@link close} */
  moveToDeleted(then: () => void): Promise<void> {
    return this.#run(async () => {
      const { directory, now } = this.#shared
      await this.#shut()
      await moveToDeleted(directory, this.id, now())
      then()
    })
  }

  #run(run: () => Promise<void>): Promise<void> {
    const transition = run().finally(() => {
      this.transition = undefined
    })
    this.transition = transition
    // Waiters hear of its failure; there may be none.
    transition.catch(() => {})
    return transition
  }

  async #shut(): Promise<void> {
    const { repository } = this
    this.repository = undefined
    await repository?.close()
  }

  async #load(): Promise<void> {
    const { directory, onSealed, opened, committed, adding, failed: _, ...shared } = this.#shared
    const log = logWithOrganization(shared.log, this.id)
    const failed = this.repository
    try {
      await failed?.abandon()
      this.repository = await OrganizationRepository.open({
        ...shared,
        workTree: join(directory, this.id),
        log,
        background: shared.background.group(this.id),
        until: failed?.head,
        sealed: () => onSealed(this.id),
        committed: records => committed(this.id, records),
        adding: slug => adding(this.id, slug),
        failed: () => this.#fail(),
        // The failed one serves the same state, already cached.
        readable: failed === undefined,
      })
      if (this.repository.failure) throw this.repository.failure
      this.error = undefined
      this.reopenAt = Infinity
      this.#mendDelay = FIRST_MEND_MS
      failed?.release()
    } catch (error) {
      log.error({ err: error }, 'the repository cannot be opened')
      this.error = error instanceof Error ? error.message : String(error)
      const failure = systemFailure(error)
      if (failure) this.#fail()
      if (error instanceof Failure) throw error
      if (failure) throw failure
      throw new Failure('unavailable', "The organization's repository cannot be opened; the server's log says why.")
    }
    opened(this.id)
  }

  #fail(): void {
    this.reopenAt = performance.now() + this.#mendDelay
    this.#shared.failed()
  }
}

/**
 * Moves `<directory>/<id>` to `deleted/<id>-<UTC time>` beside the directory. The organization must be closed.
 * @param time milliseconds since 1970
 * @returns where it is now
 */
export async function moveToDeleted(directory: string, id: string, time: number): Promise<string> {
  const graveyard = join(dirname(directory), 'deleted')
  await createFolder(graveyard)
  const aside = join(graveyard, `${id}-${new Date(time).toISOString().replace(/[-:.]/g, '')}`)
  await renameFile(join(directory, id), aside)
  await syncFolder(graveyard)
  await syncFolder(directory)
  return aside
}
