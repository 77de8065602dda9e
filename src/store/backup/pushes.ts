/** Pushes to one remote, the accounts first. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { requireGit } from '../git/git.ts'
import type { Store } from '../store.ts'
import { ACCOUNTS, AccountsRepository, type AccountsSource, accountsDir } from './accounts.ts'
import { confirm, pushRepository } from './push-repository.ts'
import type { BackupRemote } from './remote.ts'
import type { BackupTarget, TargetOutcome } from './target.ts'

interface PushesOptions {
  remote: BackupRemote
  store: Store
  directory: string
  /** DATA_DIR/backup. */
  folder: string
  accounts: AccountsSource
  /** Called when the remote lacks what it had after an earlier push. */
  surprised: () => void
}

export class Pushes {
  readonly #options: PushesOptions
  #repository: Promise<AccountsRepository> | undefined
  /** First pushes of repositories: the accounts' commit says which the remote has. */
  #firsts = 0
  /** The accounts' {@link AccountsSource.changes} at their last snapshot. */
  #seen: number | undefined

  constructor(options: PushesOptions) {
    this.#options = options
  }

  /** Differs when the accounts' snapshot, or what is said beside it, may. */
  get state(): string {
    return `${this.#options.accounts.changes()} ${this.#firsts}`
  }

  /** Of an organization, or of {@link ACCOUNTS}. */
  gitDirOf(id: string): string {
    const { directory, folder } = this.#options
    return id === ACCOUNTS ? accountsDir(folder) : join(directory, id, '.git')
  }

  /** Pushes the accounts. @param isEmpty whether nothing of an organization has been pushed */
  async accounts(target: BackupTarget, isEmpty: (id: string) => boolean, signal: AbortSignal): Promise<TargetOutcome> {
    await requireGit('A backup')
    const { accounts } = this.#options
    const changes = accounts.changes()
    try {
      await (await this.#openAccounts()).update(accounts, isEmpty)
    } catch (error) {
      throw Object.assign(new Failure('unavailable', 'A snapshot of the accounts failed.'), { cause: error })
    }
    this.#seen = changes
    return this.#bringUp(target, signal, push => push())
  }

  /**
   * Pushes an organization.
   * @param accounts are pushed first: without members and tokens its translations would have no owner
   */
  async organization(target: BackupTarget, accounts: BackupTarget, signal: AbortSignal): Promise<TargetOutcome> {
    await requireGit('A backup')
    await Promise.race([this.#accountsFirst(accounts), abortionOf(signal)])
    return this.#bringUp(target, signal, push => this.#options.store.readGit(target.id, push))
  }

  /** @param open runs a push on the sealed repository */
  async #bringUp(
    target: BackupTarget,
    signal: AbortSignal,
    open: (push: () => Promise<TargetOutcome>) => Promise<TargetOutcome>,
  ): Promise<TargetOutcome> {
    const { remote, store, surprised } = this.#options
    const route = { gitDir: this.gitDirOf(target.id), remote, signal }
    const asked = store.isUnsealed(target.id) ? { state: 'behind' as const } : await confirm(target, route)
    const isFirst = target.lastSuccess === null
    const outcome =
      asked.state === 'behind' ? await open(() => pushRepository(target, route, asked.isSurprising)) : asked
    if (isFirst && target.lastSuccess !== null) this.#firsts++
    if (outcome.state === 'done' && outcome.surprising) surprised()
    if (outcome.state === 'done' || outcome.state === 'nothing') target.askedAt = performance.now()
    return outcome
  }

  async #accountsFirst(accounts: BackupTarget): Promise<void> {
    await accounts.settled()
    if (this.#seen !== this.#options.accounts.changes()) await accounts.pushNow()
  }

  #openAccounts(): Promise<AccountsRepository> {
    this.#repository ??= AccountsRepository.open(this.#options.folder).catch(error => {
      this.#repository = undefined
      throw error
    })
    return this.#repository
  }
}

async function abortionOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
