/** Applies entries of other nodes to an organization, and changes refs in turn with them. */

import { Failure } from '../../bundle/errors.ts'
import type { Background } from '../../scheduling/background.ts'
import { doubtfulFailure } from '../../store/disk.ts'
import { endsWithin } from '../../store/ends-within.ts'
import type { PackBuilder } from '../../store/objects/pack-builder.ts'
import { type ChangeRefs, changeRefs, type RefsChange } from '../../store/refs/change-refs.ts'
import type { Objects } from '../../store/snapshot.ts'
import type { JournalCommit } from '../../store/write/journal.ts'
import type { Recovered } from '../../store/write/recover.ts'
import { replay } from '../../store/write/replay.ts'
import {
  Overtaken,
  type ReplicatedParts,
  type SharedLog,
  type SharedOrganization,
  STILL_OVERTAKEN,
} from '../../store/write/shared-log.ts'
import type { ClusterLog, LogEntry } from '../cluster-log.ts'
import { readEntry } from './entry.ts'
import { replayLog } from './replay-log.ts'
import { SharedLedger } from './shared-ledger.ts'

/** Delays before another try to read what other nodes wrote, in milliseconds. */
const CATCH_UP_MS = [500, 5_000] as const

/** The engine may go away while one waits, and what is under way finds out for long what became of it. */
const PATIENCE_MS = 5000
const LOOK_MS = 250
const TOO_LATE = new Failure('unavailable', 'What another node wrote could not be read in time; try again.', {
  retryAfter: 2,
})

/** See {@link SharedOrganization}. */
export class OrganizationReplica implements SharedOrganization {
  readonly ledger: SharedLedger
  #attached: ReplicatedParts | undefined
  /** The next catching up, which has not begun. */
  #next: Promise<void> | undefined

  constructor(log: ClusterLog, organization: string) {
    this.ledger = new SharedLedger(log, organization)
  }

  get #parts(): ReplicatedParts {
    return this.#attached!
  }

  get isStale(): boolean {
    return this.ledger.log.stale
  }

  get isOvertaken(): boolean {
    return this.ledger.isOvertaken
  }

  catchUpOnOpen(gitDir: string, objects: Objects, recovered: Recovered): Promise<Recovered> {
    return replayLog(gitDir, objects, this.ledger, recovered)
  }

  attach(parts: ReplicatedParts): void {
    this.#attached = parts
  }

  show(): void {
    this.ledger.show()
  }

  follow(background: Background, isSealed: boolean): void {
    const { ledger } = this
    const { head } = this.#parts
    if (isSealed) ledger.allSealed(head())
    const run = () => this.#applyAnnounced()
    const task = background.task({ name: 'reading what other nodes wrote', retry: CATCH_UP_MS, run })
    // The task has logged it.
    ledger.listen(() => void task.now().catch(() => {}))
  }

  isBehind(purpose: 'read' | 'write'): boolean {
    return (purpose === 'read' ? this.ledger.isBehind : this.ledger.isLacking) && !this.isStale
  }

  release(): void {
    this.ledger.release()
  }

  /** Resolves when readers see all entries announced before the call. @throws Failure `unavailable` */
  #applyAnnounced(): Promise<void> {
    this.#next ??= this.#parts.queue.alone(async () => {
      // A later caller may know of a newer entry.
      this.#next = undefined
      await this.#applyUpTo(this.ledger.heard)
    })
    return this.#next
  }

  async catchUp(): Promise<void> {
    const { log } = this.ledger
    const done = this.#applyAnnounced()
    const late = performance.now() + PATIENCE_MS
    try {
      while (!(await endsWithin(LOOK_MS, done)) && !log.stale) if (performance.now() > late) throw TOO_LATE
      if (!log.stale) await done
    } catch (error) {
      if (!log.stale) throw error
    }
  }

  async hold(): Promise<void> {
    await this.ledger.hold()
    await this.#applyUpTo(Infinity)
  }

  letGo(): Promise<void> {
    return this.ledger.letGo()
  }

  changeRefs<T>(use: (change: ChangeRefs) => Promise<T>): Promise<T> {
    const { ahead, queue } = this.#parts
    return queue.alone(async () => {
      // Most of it while the others go on.
      await ahead.seal()
      try {
        await this.hold()
        await ahead.seal()
        return await use(change => this.#changeRefs(change))
      } catch (error) {
        throw error instanceof Overtaken ? STILL_OVERTAKEN : error
      } finally {
        await this.letGo()
      }
    })
  }

  async #changeRefs(change: RefsChange): Promise<string> {
    const { ledger } = this
    const { head } = this.#parts
    await ledger.appendRefs(change, head())
    try {
      return await this.#applyRefs(change)
    } catch (error) {
      // It is in the log, and the next opening reads it there.
      this.#parts.queue.fail(error)
      throw doubtfulFailure(error)
    }
  }

  /** All before it is sealed. */
  async #applyRefs(change: RefsChange): Promise<string> {
    const { ledger } = this
    const { gitDir, head } = this.#parts
    const id = await changeRefs(gitDir, change)
    ledger.show()
    ledger.allSealed(head())
    return id
  }

  /** @param goal the number of an entry heard of; beyond it what comes along */
  async #applyUpTo(goal: number): Promise<void> {
    const { ledger } = this
    const { queue } = this.#parts
    const { failure } = queue
    if (failure) throw failure
    try {
      while (ledger.shown < goal) {
        const entries = await ledger.read()
        for (const entry of entries) await this.#applyEntry(entry)
        // What was heard of has not come, and may still; who waits here need not wait for what came since.
        if (entries.length === 0 || entries.at(-1)!.isLast) break
      }
    } catch (error) {
      if (error instanceof Failure) throw error
      throw queue.fail(error)
    }
  }

  async #applyEntry(entry: LogEntry): Promise<void> {
    const { ledger } = this
    const { ahead } = this.#parts
    const content = readEntry(entry)
    if (content.commits) return this.#applyCommits(entry, content.commits)
    await ahead.seal()
    ledger.noteApplied(entry.seq)
    await this.#applyRefs(content.refs)
    this.#parts.changed()
  }

  async #applyCommits({ seq }: LogEntry, records: JournalCommit[]): Promise<void> {
    const { ledger } = this
    const { objects, ahead, queue } = this.#parts
    const replaced: string[] = []
    const make = (pack: PackBuilder) => replay(objects, pack, this.#parts.head(), records, { exact: true, replaced })
    let head = this.#parts.head()
    await ahead.prepare()
    await ahead.takeIn(async segment => {
      head = await make(segment.pack)
      ledger.noteApplied(seq, segment)
      return { records, head }
    })
    await queue.show(head, records, replaced)
  }
}

/** The store's view of a log. */
export const sharedLogOver = (log: ClusterLog): SharedLog => ({
  has: organization => log.has(organization),
  remove: organization => log.remove(organization),
  open: organization => new OrganizationReplica(log, organization),
})
