/** Updates a remote: pushes soon after a change; reports how far behind it is. */
import { join } from 'node:path'
import { Background, type BackgroundTask } from '../../scheduling/background.ts'
import { FairSlots } from '../../scheduling/fair-slots.ts'
import { type Logger, SILENT } from '../log.ts'
import type { Store } from '../store.ts'
import { ACCOUNTS, type AccountsSource } from './accounts.ts'
import { type Checkable, Checks } from './checks.ts'
import { type BackupDelays, DELAYS } from './delays.ts'
import { refuseInside } from './folder-remote.ts'
import { standingOf } from './push-repository.ts'
import { Pushes } from './pushes.ts'
import type { BackupRemote } from './remote.ts'
import { type BackupStatus, BackupTarget, type TargetOutcome } from './target.ts'

export type { BackupStatus } from './target.ts'

/** Over all organizations and the accounts. */
export interface BackupTotals {
  /** The largest lag, in seconds. */
  lag: number
  /** Of the last push, in milliseconds since 1970. */
  lastSuccess: number | null
  failures: number
}

interface BackupOptions {
  remote: BackupRemote
  dataDir: string
  store: Store
  directory: string
  accounts: AccountsSource
  log?: Logger
  /** What runs its work; its own by default. */
  background?: Background
  delays?: Partial<BackupDelays> | undefined
}

/** How one repository did in {@link Backup.pushAll}; `empty`: nothing to push yet. */
export interface PushResult {
  /** Of the organization, or {@link ACCOUNTS}. */
  id: string
  state: 'ok' | 'empty' | 'failing' | 'diverged'
  error?: string
}

const AT_ONCE = 2
const SURPRISING = 'the backup remote lost something that it had: it is asked about every repository'

/** A push reads what is sealed, so no write waits for it. */
export class Backup {
  readonly #options: BackupOptions
  readonly #delays: BackupDelays
  readonly #log: Logger
  readonly #pushes: Pushes
  readonly #targets = new Map<string, BackupTarget>()
  readonly #forgotten = new Set<string>()
  readonly #slots = new FairSlots(AT_ONCE, Number.POSITIVE_INFINITY)
  readonly #background: Background
  readonly #asking: BackgroundTask
  readonly #checks: Checks
  #started = false
  /** The accounts when their change was last noted. */
  #noted: string | undefined
  readonly #ending = new AbortController()

  private constructor(options: BackupOptions) {
    this.#options = options
    this.#delays = { ...DELAYS, ...options.delays }
    this.#log = options.log ?? SILENT
    this.#background = (options.background ?? new Background(this.#log)).group()
    this.#asking = this.#background.task({ name: 'asking what the backup remote has', run: () => this.#askAboutAll() })
    const { remote, dataDir, store, directory, accounts } = options
    const folder = join(dataDir, 'backup')
    this.#pushes = new Pushes({ remote, store, directory, folder, accounts, surprised: () => this.#doubt() })
    const all = () => [...this.#targets.values()].map(target => this.#checkable(target))
    const { log, delays, background } = { log: this.#log, delays: this.#delays, background: this.#background }
    this.#checks = new Checks({ remote, folder, all, background, delays, log })
  }

  /**
   * Trouble with git or the remote fails the pushes, not the server.
   * @throws Failure `invalid` when the remote lies in the data folder
   */
  static async open(options: BackupOptions): Promise<Backup> {
    await refuseInside(options.remote, options.dataDir)
    return new Backup(options)
  }

  /** Starts: pushes what is behind and all changes from now on; asks the remote what it has. */
  start(): void {
    for (const id of this.#options.store.organizations()) this.#target(id)
    this.#started = true
    const { accounts, step } = this.#delays
    const every = (name: string, milliseconds: number, run: () => void) =>
      this.#background.task({ name, every: milliseconds, run }).in(milliseconds)
    this.#background.task({ name: 'finding what is left to back up', run: () => this.#catchUp() }).in(0)
    every('looking whether the accounts have changed', accounts, () => this.#lookAtAccounts())
    every('looking at the backups', step, () => this.#lookAround())
    this.#checks.start()
  }

  /** Notes a change of an organization. Cheap. */
  changed(id: string): void {
    if (!this.#ending.signal.aborted && !this.#forgotten.has(id)) this.#target(id).changed()
  }

  /** Ends with an organization about to be removed here; its copy stays at the remote. */
  async forget(id: string): Promise<void> {
    this.#forgotten.add(id)
    this.#checks.forget(id)
    const target = this.#targets.get(id)
    this.#targets.delete(id)
    await target?.end(0)
  }

  /** How an organization's backup does, the accounts included: it could not be restored without them. */
  status(id: string): BackupStatus {
    this.#lookAtAccounts()
    const own = this.#targets.get(id)?.status ?? { state: 'ok', lastSuccess: null, lag: 0 }
    const accounts = this.#targets.get(ACCOUNTS)?.status ?? { state: 'ok', lastSuccess: null, lag: 0 }
    const checks = [this.#checks.of(id), this.#checks.of(ACCOUNTS)]
    const lastCheck = checks[0] === undefined ? {} : { lastCheck: checks[0].at }
    const both = { ...own, ...lastCheck, lag: Math.max(own.lag, accounts.lag) }
    if (own.error !== undefined) return both
    if (accounts.error !== undefined) return { ...both, state: accounts.state, error: accounts.error }
    const unsound = checks.find(check => check?.error !== undefined)
    if (unsound !== undefined) return { ...both, state: 'failing', error: unsound.error! }
    const more = accounts.state === 'pending' || this.#isUnconfirmed(id) || this.#options.store.isUnsealed(id)
    return more ? { ...both, state: 'pending' } : both
  }

  /** Whether the remote has all of an organization that is older than a number of milliseconds. */
  has(id: string, milliseconds: number): boolean {
    const { error, lag } = this.status(id)
    return error === undefined && lag * 1000 < milliseconds && !this.#isUnconfirmed(id)
  }

  metrics(): BackupTotals {
    this.#lookAtAccounts()
    const totals: BackupTotals = { lag: 0, lastSuccess: null, failures: 0 }
    for (const target of this.#targets.values()) {
      const { lag, lastSuccess } = target.status
      totals.lag = Math.max(totals.lag, lag)
      totals.failures += target.failed
      if (lastSuccess !== null) totals.lastSuccess = Math.max(totals.lastSuccess ?? 0, lastSuccess)
    }
    return totals
  }

  /** Whether any backup diverged, has failed for long, or could not be restored. */
  get troubled(): boolean {
    return this.#checks.troubled || [...this.#targets.values()].some(target => target.troubled(this.#delays.trouble))
  }

  /** Pushes everything once, changed or not, in place of {@link start}. */
  async pushAll(onResult: (result: PushResult) => void = () => {}): Promise<PushResult[]> {
    const pushOne = async (id: string): Promise<PushResult> => {
      const target = this.#target(id)
      await target.settled()
      const result = resultOf(id, await target.pushNow(), target.status)
      onResult(result)
      return result
    }
    const results = await Promise.all(this.#options.store.organizations().map(pushOne))
    return [...results, await pushOne(ACCOUNTS)]
  }

  /** Ends. A running push has a moment to finish; the next start pushes the rest. */
  async close(): Promise<void> {
    this.#ending.abort()
    const ended = this.#background.close()
    await Promise.all([...this.#targets.values()].map(target => target.end()))
    await ended
  }

  #target(id: string): BackupTarget {
    const known = this.#targets.get(id)
    if (known) return known
    const isAccounts = id === ACCOUNTS
    const target: BackupTarget = new BackupTarget({
      id,
      delays: this.#delays,
      // An organization's push waits for the accounts.
      slots: isAccounts ? new FairSlots(1, Number.POSITIVE_INFINITY) : this.#slots,
      background: this.#background,
      log: this.#log,
      push: signal =>
        isAccounts
          ? this.#pushAccounts(target, signal)
          : this.#pushes.organization(target, this.#target(ACCOUNTS), signal),
    })
    this.#targets.set(id, target)
    if (this.#ending.signal.aborted) void target.end(0)
    return target
  }

  /** Finds in files what an earlier process left to push; then the remote is asked. */
  async #catchUp(): Promise<void> {
    for (const id of [...this.#targets.keys(), ACCOUNTS]) {
      if (this.#ending.signal.aborted) return
      await this.#look(id)
    }
    if (this.#ending.signal.aborted) return
    this.#lookAtAccounts()
    this.#target(ACCOUNTS).soon()
  }

  async #look(id: string): Promise<void> {
    try {
      const standing = await standingOf(this.#pushes.gitDirOf(id), this.#options.remote, this.#ending.signal)
      if (this.#ending.signal.aborted || this.#forgotten.has(id)) return
      // All at once: an old success without what came later would say that all is well.
      const target = this.#target(id)
      target.lastSuccess ??= standing.lastSuccess
      if (standing.isBehind) target.changed(standing.since)
    } catch (error) {
      this.#log.error({ err: error, id }, 'whether anything is left to push is unknown; it is tried')
      this.changed(id)
    }
  }

  /** Whether the remote has not answered about an organization since the start, or since it lost something. */
  #isUnconfirmed(id: string): boolean {
    return this.#targets.get(id)?.askedAt === Number.NEGATIVE_INFINITY
  }

  /** Trusts no note of earlier pushes any more: asks the remote about each repository, the accounts first. */
  #doubt(): void {
    if (this.#ending.signal.aborted) return
    this.#log.warn({ remote: String(this.#options.remote) }, SURPRISING)
    for (const target of this.#targets.values()) {
      if (target.id !== ACCOUNTS) target.askedAt = Number.NEGATIVE_INFINITY
    }
    this.#target(ACCOUNTS).soon()
  }

  /** Asks the remote about what is unconfirmed, one by one, as long as it answers. */
  async #askAboutAll(): Promise<void> {
    for (const id of [...this.#targets.keys()]) {
      if (this.#ending.signal.aborted || this.#targets.get(ACCOUNTS)?.status.error !== undefined) return
      if (this.#isUnconfirmed(id)) await this.#targets.get(id)!.pushNow()
    }
  }

  /** Asks about one repository that was not asked about for long, the accounts first. */
  #lookAround(): void {
    const { remote, round } = this.#delays
    const isDue = ({ askedAt, status }: BackupTarget, every: number) =>
      status.state === 'ok' && askedAt < performance.now() - every
    const accounts = this.#target(ACCOUNTS)
    const due = [...this.#targets.values()].filter(target => isDue(target, round))
    const next = isDue(accounts, remote) ? accounts : due.sort((a, b) => a.askedAt - b.askedAt)[0]
    next?.soon()
  }

  /** Notes each change once: a second note would put off its push. */
  #lookAtAccounts(): void {
    if (!this.#started || this.#ending.signal.aborted) return
    const { state } = this.#pushes
    if (state === this.#noted) return
    this.#noted = state
    this.changed(ACCOUNTS)
  }

  async #pushAccounts(target: BackupTarget, signal: AbortSignal): Promise<TargetOutcome> {
    const isEmpty = (id: string) => (this.#targets.get(id)?.status.lastSuccess ?? null) === null
    const outcome = await this.#pushes.accounts(target, isEmpty, signal)
    const isThere = outcome.state === 'done' || outcome.state === 'nothing'
    if (isThere && this.#started) this.#asking.in(0)
    return outcome
  }

  #checkable({ id, lastSuccess }: BackupTarget): Checkable {
    return { id, pushed: lastSuccess, gitDir: this.#pushes.gitDirOf(id) }
  }
}

function resultOf(id: string, pushed: boolean, { state, error, lastSuccess }: BackupStatus): PushResult {
  if (pushed) return { id, state: lastSuccess === null ? 'empty' : 'ok' }
  if (state === 'diverged') return { id, state, error: error! }
  return { id, state: 'failing', error: error ?? 'It was ended before it was through.' }
}
