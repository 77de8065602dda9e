/** Keeps a remote up to date: pushes each organization, and the accounts, soon after they changed; tells how far behind it is. */
import { join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import type { Remote } from '../../remote.ts'
import { requireGit } from '../git/remote-git.ts'
import { Turns } from '../git/turns.ts'
import { type Logger, SILENT } from '../log.ts'
import type { Store } from '../store.ts'
import { ACCOUNTS, AccountsRepository, type AccountsSource, accountsDir } from './accounts.ts'
import { type BackupStatus, Copy, type CopyDelays, type CopyOutcome } from './copy.ts'
import { refuseInside } from './file-remote.ts'
import { pushRepository, standingOf } from './push-repository.ts'

export type { BackupStatus } from './copy.ts'

/** Over all organizations and the accounts. */
export interface BackupTotals {
  /** The largest lag, in seconds. */
  lag: number
  /** When anything was last pushed, in milliseconds since 1970. */
  lastSuccess: number | null
  /** Failed pushes since the start. */
  failures: number
}

/** In milliseconds. */
export interface BackupDelays extends CopyDelays {
  /** Between two looks whether the accounts have changed. */
  accounts: number
  /** How long pushes must have failed for the server to count as unwell. */
  trouble: number
}

const DELAYS: BackupDelays = {
  settle: 5_000,
  latest: 60_000,
  firstRetry: 5_000,
  lastRetry: 600_000,
  push: 600_000,
  grace: 2_000,
  accounts: 2_000,
  trouble: 900_000,
}

/** What is pushed, and where to. */
export interface BackupOptions {
  remote: Remote
  dataDir: string
  store: Store
  /** The folder of the organizations' folders: the store's own. */
  directory: string
  accounts: AccountsSource
  log?: Logger
  delays?: Partial<BackupDelays> | undefined
}

/** How one repository did in {@link Backup.pushAll}; `empty`: there is nothing to push yet. */
export interface PushResult {
  /** Of the organization, or {@link ACCOUNTS}. */
  id: string
  state: 'ok' | 'empty' | 'failing' | 'diverged'
  error?: string
}

/** Organizations that are being pushed at once. */
const AT_ONCE = 2
const NO_SNAPSHOT = 'No snapshot of the accounts could be made.'

/** See the top of the file. A push reads what is sealed, so no write waits for it. */
export class Backup {
  readonly #options: BackupOptions
  readonly #delays: BackupDelays
  readonly #log: Logger
  readonly #folder: string
  readonly #copies = new Map<string, Copy>()
  readonly #forgotten = new Set<string>()
  readonly #turns = new Turns(AT_ONCE, Number.POSITIVE_INFINITY)
  /** Their own, since an organization's push waits for them. */
  readonly #accountsTurn = new Turns(1, Number.POSITIVE_INFINITY)
  /** Organizations of which it is not known yet whether an earlier process left anything to do. */
  readonly #unknown = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #lookingBack: Promise<void> = Promise.resolve()
  #repository: Promise<AccountsRepository> | undefined
  /** What the last snapshot of the accounts was made of. */
  #seen: { changes: number; firsts: number } | undefined
  /** How many repositories were pushed for the first time: the accounts' commit says which the remote has. */
  #firsts = 0
  readonly #ending = new AbortController()
  /** Whether the remote is asked even when it is known to have everything. */
  #trustsNothing = false

  private constructor(options: BackupOptions) {
    this.#options = options
    this.#delays = { ...DELAYS, ...options.delays }
    this.#log = options.log ?? SILENT
    this.#folder = join(options.dataDir, 'backup')
  }

  /**
   * What else may be wrong, with git or the remote, fails the pushes and not the server.
   * @throws Failure `invalid` when the remote lies in the data folder
   */
  static async open(options: BackupOptions): Promise<Backup> {
    await refuseInside(options.remote, options.dataDir)
    return new Backup(options)
  }

  /** Begins: pushes what is behind, and from now on what changes. */
  start(): void {
    for (const id of this.#options.store.organizations()) this.#unknown.add(id)
    this.#lookingBack = this.#catchUp()
    this.#timer = setInterval(() => this.#lookAtAccounts(), this.#delays.accounts).unref()
  }

  /** Notes that an organization has changed. Cheap. */
  changed(id: string): void {
    if (!this.#ending.signal.aborted && !this.#forgotten.has(id)) this.#copy(id).changed()
  }

  /** Ends with an organization that is about to be removed here; what the remote has of it stays. */
  async forget(id: string): Promise<void> {
    this.#forgotten.add(id)
    const copy = this.#copies.get(id)
    this.#copies.delete(id)
    await copy?.end(0)
  }

  /** How an organization's backup does; trouble with the accounts is its own, since it could not be restored without them. */
  status(id: string): BackupStatus {
    const own = this.#copies.get(id)?.status ?? { state: 'ok', lastSuccess: null, lag: 0 }
    const accounts = this.#copies.get(ACCOUNTS)?.status
    if (own.error === undefined && accounts?.error !== undefined) {
      return { ...own, state: accounts.state, error: accounts.error }
    }
    const more = this.#unknown.has(id) || this.#options.store.isUnsealed(id)
    return own.state === 'ok' && more ? { ...own, state: 'pending' } : own
  }

  metrics(): BackupTotals {
    const totals: BackupTotals = { lag: 0, lastSuccess: null, failures: 0 }
    for (const copy of this.#copies.values()) {
      const { lag, lastSuccess } = copy.status
      totals.lag = Math.max(totals.lag, lag)
      totals.failures += copy.failed
      if (lastSuccess !== null) totals.lastSuccess = Math.max(totals.lastSuccess ?? 0, lastSuccess)
    }
    return totals
  }

  /** Whether any backup diverged, or has failed for long. */
  get troubled(): boolean {
    return [...this.#copies.values()].some(copy => copy.troubled(this.#delays.trouble))
  }

  /** Pushes everything once, changed or not, in place of {@link start}. */
  async pushAll(tell: (result: PushResult) => void = () => {}): Promise<PushResult[]> {
    const pushOne = async (id: string): Promise<PushResult> => {
      const copy = this.#copy(id)
      await copy.settled()
      const result = resultOf(id, await copy.pushNow(), copy.status)
      tell(result)
      return result
    }
    this.#trustsNothing = true
    const results = await Promise.all(this.#options.store.organizations().map(pushOne))
    return [...results, await pushOne(ACCOUNTS)]
  }

  /** Ends. A push under way has a moment to finish; what it leaves is pushed after the next start. */
  async close(): Promise<void> {
    this.#ending.abort()
    clearInterval(this.#timer)
    await Promise.all([...this.#copies.values()].map(copy => copy.end()))
    await this.#lookingBack
  }

  #copy(id: string): Copy {
    const known = this.#copies.get(id)
    if (known) return known
    const accounts = id === ACCOUNTS
    const copy: Copy = new Copy({
      id,
      delays: this.#delays,
      turns: accounts ? this.#accountsTurn : this.#turns,
      log: this.#log,
      push: signal => (accounts ? this.#pushAccounts(copy, signal) : this.#pushOrganization(copy, signal)),
    })
    this.#copies.set(id, copy)
    if (this.#ending.signal.aborted) void copy.end(0)
    return copy
  }

  /** Finds what an earlier process left to do; of an organization that is up to date it reads a few files. */
  async #catchUp(): Promise<void> {
    for (const id of [...this.#unknown]) {
      if (this.#ending.signal.aborted) return
      await this.#look(id, join(this.#options.directory, id, '.git'))
      this.#unknown.delete(id)
    }
    await this.#look(ACCOUNTS, accountsDir(this.#folder))
    this.#lookAtAccounts()
  }

  async #look(id: string, gitDir: string): Promise<void> {
    try {
      const standing = await standingOf(gitDir, this.#options.remote, this.#ending.signal)
      if (this.#ending.signal.aborted || this.#forgotten.has(id)) return
      // All at once: a success of old without what came after it would say that all is well.
      const copy = this.#copy(id)
      copy.lastSuccess ??= standing.lastSuccess
      if (standing.isBehind) copy.changed(standing.since)
    } catch (error) {
      this.#log.error({ err: error, id }, 'whether anything is left to push cannot be told; it is tried')
      this.changed(id)
    }
  }

  #lookAtAccounts(): void {
    const { changes, firsts } = this.#seen ?? {}
    if (changes !== this.#options.accounts.changes() || firsts !== this.#firsts) this.changed(ACCOUNTS)
  }

  async #pushAccounts(copy: Copy, signal: AbortSignal): Promise<CopyOutcome> {
    await requireGit('A backup')
    const { accounts } = this.#options
    const seen = { changes: accounts.changes(), firsts: this.#firsts }
    try {
      this.#repository ??= AccountsRepository.open(this.#folder)
      const repository = await this.#repository
      await repository.update(accounts, id => (this.#copies.get(id)?.status.lastSuccess ?? null) === null)
    } catch (error) {
      this.#repository = undefined
      throw Object.assign(new Failure('unavailable', NO_SNAPSHOT), { cause: error })
    }
    this.#seen = seen
    return this.#push(copy, accountsDir(this.#folder), signal)
  }

  async #pushOrganization(copy: Copy, signal: AbortSignal): Promise<CopyOutcome> {
    await requireGit('A backup')
    // First its members and tokens as they are now: without them its translations would be nobody's.
    // When everything is pushed at once, they come at the end.
    if (!this.#trustsNothing) await Promise.race([this.#pushAccountsToo(), abortionOf(signal)])
    return this.#options.store.readGit(copy.id, gitDir => this.#push(copy, gitDir, signal))
  }

  async #pushAccountsToo(): Promise<void> {
    const accounts = this.#copy(ACCOUNTS)
    await accounts.settled()
    if (this.#seen?.changes !== this.#options.accounts.changes()) await accounts.pushNow()
  }

  #push(copy: Copy, gitDir: string, signal: AbortSignal): Promise<CopyOutcome> {
    return pushRepository(copy, {
      gitDir,
      remote: this.#options.remote,
      trustsNothing: this.#trustsNothing,
      pushedFirst: () => {
        this.#firsts++
      },
      signal,
    })
  }
}

function resultOf(id: string, pushed: boolean, { state, error, lastSuccess }: BackupStatus): PushResult {
  if (pushed) return { id, state: lastSuccess === null ? 'empty' : 'ok' }
  if (state === 'diverged') return { id, state, error: error! }
  return { id, state: 'failing', error: error ?? 'It was ended before it was through.' }
}

/** Resolves when the signal is aborted. */
function abortionOf(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
