/** Pushes to one remote, the accounts first; asks whether it is still the same remote. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import { requireGit } from '../git/git.ts'
import type { Store } from '../store.ts'
import { AccountsRepository, type AccountsSource, accountsDir } from './accounts.ts'
import { identify } from './identity.ts'
import { confirm, type PushRoute, pushRepository } from './push-repository.ts'
import type { BackupRemote } from './remote.ts'
import type { RemoteFailure } from './remote-git.ts'
import type { BackupTarget, TargetOutcome } from './target.ts'

interface PushesOptions {
  remote: BackupRemote
  store: Store
  directory: string
  /** DATA_DIR/backup. */
  folder: string
  accounts: AccountsSource
  /** Says why no note of earlier pushes can be trusted any more. */
  doubt: (why: string) => void
}

/** Differs when the accounts' snapshot, or what is said beside it, may. */
export interface AccountsState {
  changes: number
  firsts: number
}

const NO_SNAPSHOT = 'A snapshot of the accounts failed.'
const ANOTHER = 'the backup remote is another one than before, or was emptied: it is asked about every repository'
const SURPRISING = 'the backup remote lost something that it had: it is asked about every repository'

export class Pushes {
  /** Organizations not asked about since the start, or since the remote became another one. */
  readonly unconfirmed = new Set<string>()
  readonly #options: PushesOptions
  #repository: Promise<AccountsRepository> | undefined
  /** The remote's own, once it has answered. */
  #identity: string | undefined
  #identifying: Promise<RemoteFailure | undefined> | undefined
  /** First pushes of repositories: the accounts' commit says which the remote has. */
  #firsts = 0
  /** The accounts' {@link AccountsSource.changes} at their last snapshot. */
  #seen: number | undefined

  constructor(options: PushesOptions) {
    this.#options = options
  }

  get state(): AccountsState {
    return { changes: this.#options.accounts.changes(), firsts: this.#firsts }
  }

  gitDirOf(id: string): string {
    return join(this.#options.directory, id, '.git')
  }

  /** Pushes the accounts. @param isEmpty whether nothing of an organization has been pushed */
  async accounts(target: BackupTarget, isEmpty: (id: string) => boolean, signal: AbortSignal): Promise<TargetOutcome> {
    await requireGit('A backup')
    const { accounts, folder } = this.#options
    const { changes } = this.state
    try {
      await (await this.#openAccounts()).update(accounts, isEmpty)
    } catch (error) {
      throw Object.assign(new Failure('unavailable', NO_SNAPSHOT), { cause: error })
    }
    this.#seen = changes
    const failure = await this.#identify(signal)
    if (failure !== undefined) return { state: 'failed', ...failure }
    const route = this.#route(accountsDir(folder), signal)
    return (await confirm(target, route)) ?? pushRepository(target, route)
  }

  /**
   * Pushes an organization.
   * @param accounts are pushed first: without members and tokens its translations would have no owner. Undefined when
   * all is pushed once: then they come last
   */
  async organization(
    target: BackupTarget,
    accounts: BackupTarget | undefined,
    signal: AbortSignal,
  ): Promise<TargetOutcome> {
    await requireGit('A backup')
    if (accounts) await Promise.race([this.#accountsFirst(accounts), abortionOf(signal)])
    if (this.#identity === undefined) await this.#identify(signal)
    const { store } = this.#options
    const route = this.#route(this.gitDirOf(target.id), signal)
    const outcome =
      (store.isUnsealed(target.id) ? undefined : await confirm(target, route)) ??
      (await store.readGit(target.id, () => pushRepository(target, route)))
    if (outcome.state !== 'done' && outcome.state !== 'nothing') return outcome
    target.askedAt = performance.now()
    if (route.identity !== undefined && route.identity === this.#identity) this.unconfirmed.delete(target.id)
    // It may have become another remote meanwhile, with this and nothing else.
    if (outcome.state === 'done' && accounts) await this.#identify(signal)
    return outcome
  }

  async #accountsFirst(accounts: BackupTarget): Promise<void> {
    await accounts.settled()
    if (this.#seen !== this.state.changes) await accounts.pushNow()
  }

  #openAccounts(): Promise<AccountsRepository> {
    this.#repository ??= AccountsRepository.open(this.#options.folder).catch(error => {
      this.#repository = undefined
      throw error
    })
    return this.#repository
  }

  /** Asks the remote who it is. One answer serves all who came before the question. */
  async #identify(signal: AbortSignal): Promise<RemoteFailure | undefined> {
    await this.#identifying
    this.#identifying ??= this.#askIdentity(signal).finally(() => {
      this.#identifying = undefined
    })
    return this.#identifying
  }

  async #askIdentity(signal: AbortSignal): Promise<RemoteFailure | undefined> {
    let said: Awaited<ReturnType<typeof identify>>
    try {
      const { gitDir } = await this.#openAccounts()
      said = await identify(this.#options.remote, gitDir, signal)
    } catch (error) {
      return { reason: 'failed', sentence: NO_SNAPSHOT, words: String(error) }
    }
    if ('reason' in said) return said
    const before = this.#identity
    this.#identity = said.identity
    if (before !== undefined && before !== said.identity) this.#options.doubt(ANOTHER)
    return undefined
  }

  #route(gitDir: string, signal: AbortSignal): PushRoute {
    return {
      gitDir,
      remote: this.#options.remote,
      identity: this.#identity,
      pushedFirst: () => {
        this.#firsts++
      },
      surprised: () => this.#options.doubt(SURPRISING),
      signal,
    }
  }
}

async function abortionOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
