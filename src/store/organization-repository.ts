/** One organization's repository: opened and recovered, read, written through one queue, sealed, closed. */
import { basename, join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import type { JudgedFile } from '../project/judge.ts'
import { addedSlugs } from '../project/layout.ts'
import { checkCommits } from '../project/outside-commits.ts'
import { byteCache } from '../scheduling/byte-cache.ts'
import { createRepository, hasRepository } from './create-repository.ts'
import { codeOf, createFolder, diskFailure, removeFile, systemFailure } from './disk.ts'
import { Maintenance } from './git/maintenance.ts'
import { clearUnfinished } from './git/repack.ts'
import type { Author } from './objects/commit.ts'
import { ObjectReader } from './objects/objects.ts'
import type { RepositoryOptions, RepositoryWorkTree } from './options.ts'
import { type ChangeRefs, changeRefs } from './refs/change-refs.ts'
import { BRANCH } from './refs/read-refs.ts'
import { lockBranch, unlockBranch } from './refs/ref-lock.ts'
import type { RepositoryPast } from './revisions/past.ts'
import { Objects, readHead, type Snapshot, StateSnapshot } from './snapshot.ts'
import { commitEdits } from './work-tree/commit-edits.ts'
import { commitsSince } from './write/ancestors.ts'
import type { AcknowledgedWrite, WriteFunction } from './write/batch.ts'
import { FileLedger } from './write/ledger.ts'
import { BRANCH_RESTORED } from './write/missing-branch.ts'
import { WriteQueue } from './write/queue.ts'
import { keepUnread, type Recovered, recover } from './write/recover.ts'
import { writeHead } from './write/seal.ts'
import type { SharedOrganization } from './write/shared-log.ts'
import { WriteAhead } from './write/write-ahead.ts'

const TIMES_BYTES = 300_000

export class OrganizationRepository {
  readonly #options: RepositoryOptions
  readonly #gitDir: string
  readonly #reader: ObjectReader
  readonly #objects: Objects
  readonly #ahead: WriteAhead
  readonly #writes: WriteQueue
  /** Set where other nodes write too. */
  readonly #shared: SharedOrganization | undefined
  readonly #view: RepositoryWorkTree
  readonly #maintenance: Maintenance | undefined
  readonly #times: RepositoryPast['times'] = byteCache(TIMES_BYTES)
  #refs: Promise<unknown> = Promise.resolve()
  #newest: StateSnapshot | undefined

  private constructor(
    options: RepositoryOptions,
    reader: ObjectReader,
    objects: Objects,
    recovered: Recovered,
    shared: SharedOrganization | undefined,
  ) {
    const { log, now, crew, seals, background, committed, failed } = options
    const gitDir = gitDirOf(options)
    const { head, epoch, isBranchRestored } = recovered
    this.#options = options
    this.#gitDir = gitDir
    this.#reader = reader
    this.#objects = objects
    const maintenance = crew && new Maintenance({ gitDir, crew, log, background, changed: () => reader.refresh() })
    const sealed = () => {
      maintenance?.note()
      options.sealed()
    }
    const branch = head.commit
    const view = () => this.#view
    const ledger = shared?.ledger ?? new FileLedger({ gitDir, log, epoch })
    const ahead = new WriteAhead({
      gitDir,
      objects,
      view,
      log,
      background,
      seals,
      sealed,
      ledger,
      branch,
      isBranchRestored,
    })
    this.#maintenance = maintenance
    this.#ahead = ahead
    this.#shared = shared
    this.#writes = new WriteQueue({ head, objects, ahead, log, now, committed, failed, shared })
    const adopt = (changes: JudgedFile[]) => this.#adopt(changes)
    const snapshot = () => this.snapshot()
    this.#view = options.createWorkTree({ ...options, gitDir, adopt, snapshot })
    shared?.attach({
      gitDir,
      objects,
      ahead,
      queue: this.#writes,
      head: () => this.#writes.head,
      changed: options.sealed,
    })
  }

  /**
   * @throws Error when the repository cannot be brought to its last acknowledged write; without
   * {@link RepositoryOptions.readable} also when the disk refuses to
   */
  static async open(options: RepositoryOptions): Promise<OrganizationRepository> {
    const gitDir = gitDirOf(options)
    if (!(await hasRepository(options.workTree))) await createRepository(options.workTree)
    let refusal: Failure | undefined
    const change = async (run: () => Promise<void>) => {
      try {
        if (refusal === undefined) await run()
      } catch (error) {
        refusal = options.readable ? systemFailure(error) : undefined
        if (refusal === undefined) throw error
        options.log.error({ err: error }, 'the disk refuses writes; the organization is opened for reading alone')
      }
    }
    await change(async () => {
      await createFolder(join(gitDir, 'parlance'))
      await lockBranch(gitDir)
      await clearUnfinished(gitDir)
    })
    const reader = new ObjectReader(gitDir)
    const name = basename(options.workTree)
    const shared = options.sharedLog?.open(name)
    let repository: OrganizationRepository | undefined
    try {
      const objects = new Objects(reader, options.cache, name)
      const found = await recover(gitDir, objects, { ...options, change, isShared: shared !== undefined })
      const readAll = async (log: SharedOrganization) => {
        try {
          return await log.catchUpOnOpen(gitDir, objects, found)
        } catch (error) {
          // Reads may go on without the log until it can be opened again. A repository that was never filled can answer
          // nothing: it would say 404 of what other nodes have.
          const isFilled = found.head.commit !== null
          if (!(error instanceof Failure) || !log.isStale || !options.readable || !isFilled) throw error
          refusal = error
          options.log.warn({ err: error }, 'the shared log is away; the organization is opened for reading alone')
          return found
        }
      }
      const recovered = shared ? await readAll(shared) : found
      const opened = new OrganizationRepository(options, reader, objects, recovered, shared)
      repository = opened
      await change(async () => {
        await opened.#show(recovered)
        const { journals, unread } = recovered
        if (unread !== undefined) await keepUnread(gitDir, unread, options.log)
        for (const journal of journals) await removeFile(journal)
      })
      if (refusal) opened.#writes.failure = refusal
      else if (recovered.journals.length > 0 || recovered.isNews) options.sealed()
      opened.#shared?.follow(options.background, refusal === undefined)
      return opened
    } catch (error) {
      await repository?.abandon()
      await options.background.close()
      shared?.release()
      reader.close()
      await unlockBranch(gitDir)
      throw error
    }
  }

  get head(): string | null {
    return this.#writes.head.commit
  }

  /** The newest durable state: one object for each state. */
  snapshot(): Snapshot {
    const { head } = this.#writes
    if (this.#newest?.revision !== head.commit) this.#newest = new StateSnapshot(this.#objects, head)
    return this.#newest
  }

  /** Whether another node may have written what a reader, or the next write, would not see, and can be asked for it. */
  isBehind(purpose: 'read' | 'write'): boolean {
    return this.#shared?.isBehind(purpose) ?? false
  }

  /** Resolves when {@link snapshot} shows all that was heard of before. @throws Failure `unavailable` */
  async catchUp(): Promise<void> {
    await this.#shared?.catchUp()
  }

  get history(): RepositoryPast {
    return {
      gitDir: this.#gitDir,
      objects: this.#objects,
      head: this.#writes.head,
      times: this.#times,
      now: this.#options.now,
    }
  }

  problems(): { path: string; error: string }[] {
    return [
      ...(this.#ahead.isBranchRestored ? [{ path: `.git/${BRANCH}`, error: BRANCH_RESTORED }] : []),
      ...this.#view.problems(),
    ]
  }

  /** Set when the disk refused a batch: reads go on from the last durable state, writes need a reopening. */
  get failure(): Failure | undefined {
    return this.#writes.failure
  }

  get damage(): string | undefined {
    return this.#objects.damage
  }

  /** Its load now: waiting writes, unsealed commits, and their bytes in the journals. */
  get load(): { queued: number; unsealed: number; journalBytes: number } {
    return { queued: this.#writes.waiting, ...this.#ahead.load }
  }

  /** Whether no write waits, and no maintenance would have to start over. */
  get idle(): boolean {
    return this.#writes.idle && !this.#maintenance?.working
  }

  write<T>(author: Author, use: WriteFunction<T>): Promise<AcknowledgedWrite<T>> {
    return this.#writes.write(author, use)
  }

  /** Seals everything acknowledged: objects, branch, work tree and index. */
  async flush(): Promise<void> {
    await this.#barrier()
    await this.#ahead.flush()
  }

  /** Seals everything acknowledged, for git's own readers. @returns the git directory */
  async seal(): Promise<string> {
    await this.#ahead.seal()
    return this.#gitDir
  }

  /**
   * Runs a change of refs, one at a time, once everything acknowledged is in git's objects.
   * @throws Failure when the disk refuses, and as `use` does
   */
  async changeRefs<T>(use: (history: RepositoryPast, change: ChangeRefs) => Promise<T>): Promise<T> {
    const change = this.#refs.then(async () => {
      if (this.#shared) return this.#shared.changeRefs(change => use(this.history, change))
      const { history } = this
      await this.#ahead.seal()
      return use(history, refs => changeRefs(this.#gitDir, refs))
    })
    this.#refs = change.catch(() => {})
    try {
      const result = await change
      this.#options.sealed()
      return result
    } catch (error) {
      if (!(error instanceof Failure)) this.#options.log.error({ err: error }, 'a tag could not be changed')
      throw codeOf(error) === undefined ? error : diskFailure(error)
    }
  }

  /** Resolves when all earlier writes and changes of refs are durable or refused. */
  async settle(): Promise<void> {
    await Promise.allSettled([this.#barrier(), this.#refs])
  }

  /** Finishes the queue, seals, gives everything back. Reads are over. */
  async close(): Promise<void> {
    await this.#maintenance?.close()
    try {
      await this.#refs
      // A refused batch may stand in a journal all the same; sealing what was acknowledged leaves no journal.
      if (!this.failure) await this.flush()
      await this.#view.close()
      await this.#ahead.close()
    } catch (error) {
      this.#options.log.error({ err: error }, 'not sealed at close; the next start does it from the journal')
      await this.abandon()
    }
    await this.#options.background.close()
    this.release()
    await unlockBranch(this.#gitDir)
  }

  /** Stops all writing after a failure; the journals stay for a recovery, reads go on until {@link release}. */
  async abandon(): Promise<void> {
    await this.#maintenance?.close()
    await this.#view.close()
    await this.#ahead.abandon()
    // Changes that wait for a seal hear that there will be none.
    await this.#refs
    await this.#options.background.close()
  }

  release(): void {
    this.#shared?.release()
    this.#reader.close()
  }

  #adopt(changes: JudgedFile[], hasSidecars = false): Promise<void> {
    return commitEdits(changes, {
      hasSidecars,
      write: (author, use) => this.write(author, use),
      blob: id => this.#objects.blob(id),
      compute: this.#options.compute,
      adding: this.#options.adding,
    })
  }

  /** Resolves when all earlier writes are durable: an empty write behind them is. */
  async #barrier(): Promise<void> {
    await this.write({ name: '', email: '' }, () => ({ result: undefined, message: { subject: '' } }))
  }

  /** Brings the work tree in line after the recovery; only then may the old journals go. */
  async #show({ known, moved }: Recovered): Promise<void> {
    const adopt = moved ? await this.#check(moved) : []
    await this.#view.reconcile(known)
    await this.#adopt(adopt, true)
    await this.#barrier()
    await this.#ahead.seal()
    if (this.head !== null) await writeHead(this.#gitDir, this.head)
  }

  /** Judges people's commits from while no server ran. New commits on top mend what they broke. */
  async #check({ from, to }: NonNullable<Recovered['moved']>): Promise<JudgedFile[]> {
    this.#options.log.info({ from, to }, 'merging commits from while no server ran')
    const at = (commit: string | null) => new StateSnapshot(this.#objects, readHead(this.#objects, commit))
    const { noted, between } = commitsSince(this.#objects, from, to)
    const states = {
      before: at(from),
      after: at(to),
      noted: at(noted),
      between: between.map(commit => () => at(commit)),
    }
    // Without a last state the repository was copied here, and none of its projects is new.
    if (from !== null) for (const slug of addedSlugs(states)) await this.#options.adding(slug)
    const { adopt, problems } = await checkCommits(states, this.#options.compute)
    this.#view.holdBack(problems, at(from))
    return adopt
  }
}

const gitDirOf = ({ workTree }: RepositoryOptions) => join(workTree, '.git')
