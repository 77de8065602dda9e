/** Acknowledges commits in the ledger and seals them into git in the background. */
import { join } from 'node:path'
import { Failure } from '../../bundle/errors.ts'
import type { Background, BackgroundTask } from '../../scheduling/background.ts'
import { slices } from '../../scheduling/slices.ts'
import { codeOf, createFolder, diskFailure } from '../disk.ts'
import type { Durations } from '../durations.ts'
import type { Logger } from '../log.ts'
import { publishPack } from '../objects/publish-pack.ts'
import { readBranch } from '../refs/read-refs.ts'
import type { Head, Objects } from '../snapshot.ts'
import type { JournalCommit } from './journal.ts'
import type { Ledger } from './ledger.ts'
import { BRANCH_RESTORED } from './missing-branch.ts'
import { SealSegment, writeBranch, writeHead } from './seal.ts'

interface SealedView {
  /** Brings files up; a removed one has null `bytes` and `id`. @throws Error when the disk refuses */
  write(changes: { path: string; bytes: Buffer | null; id: string | null }[]): Promise<void>
  /** Brings git's index up to what was written. Never rejects. */
  settle(): Promise<void>
}

const SEAL_COMMITS = 1000
const SEAL_BYTES = 16 * 1024 * 1024
const IDLE_MS = 100
// Steady writing must not put a seal off: git's objects and branch follow within a second.
const LATEST_MS = 600
// What may wait in memory and ledger while a seal is slow or fails.
const ROOM_COMMITS = 20_000
const ROOM_BYTES = 64 * 1024 * 1024
const RETRY_MS = [200, 30_000] as const

const STOPPED = new Failure('unavailable', 'The repository is being opened again; try again.')

interface WriteAheadOptions {
  gitDir: string
  objects: Objects
  view: () => SealedView
  log: Logger
  background: Background
  seals: Durations
  sealed: () => void
  ledger: Ledger
  branch: string | null
  isBranchRestored: boolean
}

/**
 * One segment accepts writes while the other is being sealed. A batch is computed and handed over ({@link acknowledge})
 * in one turn, so that objects and record get the same segment. A segment is sealed after its last batch is durable or
 * refused, and what was refused is dropped from its pack.
 */
export class WriteAhead {
  isBranchRestored: boolean
  readonly #options: WriteAheadOptions
  #branch: string | null
  #active: SealSegment | undefined
  #sealing: SealSegment | undefined
  readonly #task: BackgroundTask
  /** Why the last seal failed, until one succeeds. */
  #failure: Failure | undefined
  #stopped = false
  #taken = 0
  #sealed = 0

  constructor(options: WriteAheadOptions) {
    this.#options = options
    this.#branch = options.branch
    this.isBranchRestored = options.isBranchRestored
    this.#task = options.background.task({ name: 'sealing', retry: RETRY_MS, run: () => this.#sealNext() })
  }

  /**
   * Waits for a slow seal until the next batch has room.
   * @throws Failure `unavailable` or `no-space` when failing seals have used up the room
   */
  async prepare(): Promise<void> {
    while (this.#active && (this.#active.commits >= ROOM_COMMITS || this.#active.pack.bytes >= ROOM_BYTES)) {
      if (this.#failure) throw this.#failure
      await this.#seal()
    }
  }

  /** Unsealed commits, and their bytes in the journals. */
  get load(): { unsealed: number; journalBytes: number } {
    return { unsealed: this.#taken - this.#sealed, journalBytes: this.#options.ledger.bytes }
  }

  /** Where the next batch goes; call {@link prepare} before, and {@link acknowledge} in the same turn. */
  get segment(): SealSegment {
    if (this.#active === undefined) {
      this.#active = new SealSegment()
      this.#options.objects.unsealed.unshift(this.#active.pack)
    }
    return this.#active
  }

  /**
   * Writes a batch durably, one at a time, after its objects were added to {@link segment}'s pack.
   * @throws the ledger's error; the batch then left no trace
   */
  async acknowledge(records: JournalCommit[], head: Head): Promise<void> {
    if (records.length === 0) return
    await this.takeIn(async segment => {
      await this.#options.ledger.append(segment, records, head)
      return { records, head }
    })
  }

  /**
   * Adds a batch, and no other one meanwhile.
   * @param make writes it durably, if it is not yet; its objects are in the segment's pack then
   * @throws as `make` does; the batch then left no trace
   */
  takeIn(make: (segment: SealSegment) => Promise<{ records: JournalCommit[]; head: Head }>): Promise<void> {
    const { segment } = this
    const taking = this.#takeIn(segment, make)
    segment.complete = taking.catch(() => {})
    return taking
  }

  async #takeIn(segment: SealSegment, make: Parameters<WriteAhead['takeIn']>[0]): Promise<void> {
    try {
      const { records, head } = await make(segment)
      segment.count(records, head)
      this.#taken += records.length
    } catch (error) {
      segment.drop()
      // Once the acknowledged commits are in git, their journal is done with.
      this.#task.in(0)
      throw error
    }
    if (segment === this.#active) this.#schedule(segment)
  }

  /** Seals everything acknowledged so far; git's index may lag behind. @throws Failure when the disk refuses */
  async seal(): Promise<void> {
    const goal = this.#taken
    while (this.#sealed < goal) await this.#seal()
    // A seal, even an empty one, puts the branch back; one at a time, as both write the same file.
    if (await this.#lacksBranch()) await this.#seal()
  }

  async #lacksBranch(): Promise<boolean> {
    return this.#branch !== null && (await readBranch(this.#options.gitDir)) === null
  }

  /** Seals everything acknowledged so far and brings git's index up. @throws Failure when the disk refuses */
  async flush(): Promise<void> {
    await this.seal()
    await this.#options.view().settle()
  }

  /** Seals the rest and gives the files back; nothing may be acknowledged any more. */
  async close(): Promise<void> {
    await this.flush()
    this.#stop()
    await this.#task.close()
    await this.#options.ledger.close()
  }

  /** Lets go without sealing, after a failure: what is durable stays for the recovery. */
  async abandon(): Promise<void> {
    this.#stop()
    await this.#task.close()
    await Promise.all([this.#active?.complete, this.#sealing?.complete])
    await this.#options.ledger.abandon()
  }

  #stop(): void {
    this.#stopped = true
    this.#task.cancel()
  }

  /** Sets the latest time of the next seal; after a failure the retry's own delay stands. */
  #schedule({ commits, pack, since }: SealSegment): void {
    const full = commits >= SEAL_COMMITS || pack.bytes >= SEAL_BYTES
    if (!this.#stopped) this.#task.in(full ? 0 : Math.min(IDLE_MS, since + LATEST_MS - performance.now()))
  }

  /** Starts or joins one attempt to seal. @throws Failure why it failed */
  async #seal(): Promise<void> {
    try {
      await this.#task.join()
    } catch (error) {
      throw this.#failure ?? (this.#stopped ? STOPPED : diskFailure(error))
    }
  }

  async #sealNext(): Promise<void> {
    if (this.#sealing === undefined) {
      // Without this, who waits for a seal that never comes would ask for ever.
      if (this.#stopped) throw this.#failure ?? STOPPED
      if (!this.#active?.commits) {
        if (await this.#lacksBranch()) await this.#putBranchBack()
        return
      }
      this.#sealing = this.#active
      this.#active = undefined
    }
    await this.#sealing.complete
    const begun = performance.now()
    try {
      await this.#write(this.#sealing)
    } catch (error) {
      this.#failure = diskFailure(error)
      throw error
    }
    this.#options.seals.add(performance.now() - begun)
    await this.#release(this.#sealing)
    this.#options.sealed()
    this.#failure = undefined
    if (this.#active?.commits) this.#schedule(this.#active)
  }

  async #write({ pack, head, changes }: SealSegment): Promise<void> {
    await publishPack(this.#options.gitDir, pack, () => writeBranch(this.#options.gitDir, head.commit!))
    this.#branch = head.commit
    const files: Parameters<SealedView['write']>[0] = []
    const pause = slices()
    for (const [path, id] of changes) {
      files.push({ path, id, bytes: id === null ? null : this.#options.objects.blob(id) })
      await pause()
    }
    await this.#options.view().write(files)
    await writeHead(this.#options.gitDir, head.commit!)
  }

  async #putBranchBack(): Promise<void> {
    try {
      await createFolder(join(this.#options.gitDir, 'refs', 'heads'))
      await writeBranch(this.#options.gitDir, this.#branch!)
    } catch (error) {
      // The repository itself is gone; its reader will say so.
      if (codeOf(error) === 'ENOENT') return
      throw diskFailure(error)
    }
    this.isBranchRestored = true
    this.#options.log.warn({ commit: this.#branch }, BRANCH_RESTORED)
  }

  async #release(segment: SealSegment): Promise<void> {
    this.#options.objects.sealed(segment.pack)
    this.#sealing = undefined
    this.#sealed += segment.commits
    await this.#options.ledger.sealed(segment)
  }
}
