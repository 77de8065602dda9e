/** The writes of one organization: queued, computed in batches, written durably, answered in order. */
import { setImmediate as nextImmediate } from 'node:timers/promises'
import { Failure } from '../../bundle/errors.ts'
import { slices } from '../../scheduling/slices.ts'
import { inSlices } from '../../scheduling/steps.ts'
import { diskFailure } from '../disk.ts'
import type { Logger } from '../log.ts'
import type { Author } from '../objects/commit.ts'
import type { Head, Objects } from '../snapshot.ts'
import {
  type AcknowledgedWrite,
  add,
  type QueuedWrite,
  refuse,
  runBatch,
  type WriteBatch,
  type WriteFunction,
} from './batch.ts'
import type { JournalCommit } from './journal.ts'
import { Overtaken, type SharedOrganization, STILL_OVERTAKEN } from './shared-log.ts'
import type { WriteAhead } from './write-ahead.ts'

const LIMIT = 10_000

interface QueueOptions {
  head: Head
  objects: Objects
  ahead: WriteAhead
  log: Logger
  /** Milliseconds since 1970. */
  now: () => number
  /** Gets the commits of each batch, in order, once all its writers are answered. */
  committed: (records: JournalCommit[]) => void
  failed: () => void
  /** Where other nodes write to the same organization: reads what they wrote. */
  shared?: SharedOrganization | undefined
}

/** Maximum re-runs after losing the shared-log race; then the writes fail. */
const REPEATS = 5

/** Ends a job in its steps, to be run again. */
const AGAIN = new Error('the state it rests on was overtaken')

/**
 * One batch at a time: computed on the newest state, written durably, shown to readers, answered. When the disk refuses
 * a batch, all later writes are refused too. Another node's entry may stand in a batch's place in a shared log: the
 * batch then runs again on the newer state.
 */
export class WriteQueue {
  /** Set when the disk refused a batch: all later writes are refused. */
  failure: Failure | undefined
  /** The newest durable state, which readers see; the next batch runs on it. */
  head: Head
  readonly #options: QueueOptions
  #waiting: QueuedWrite[] = []
  #working = false
  /** Jobs of the last batch. */
  #together = 0
  /** What is to be done while no batch is under way. */
  readonly #turns: (() => Promise<void>)[] = []
  /** Whether one of these came last, and not a batch. */
  #turned = false

  constructor(options: QueueOptions) {
    this.#options = options
    this.head = options.head
  }

  get waiting(): number {
    return this.#waiting.length
  }

  get idle(): boolean {
    return !this.#working
  }

  /**
   * Queues a write; resolves when it is durable. A throw from `use` rejects and leaves no trace.
   * @throws Failure `unavailable` (also when 10,000 writes are waiting), `no-space`
   */
  write<T>(author: Author, use: WriteFunction<T>): Promise<AcknowledgedWrite<T>> {
    if (this.failure) return Promise.reject(this.failure)
    if (this.#waiting.length >= LIMIT) {
      const message = 'Too many writes are waiting for this organization; try again in a moment.'
      return Promise.reject(new Failure('unavailable', message, { retryAfter: 1 }))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ run: use, author, resolve: resolve as QueuedWrite['resolve'], reject })
      this.#start()
    })
  }

  /** Runs `work` between two batches: all before are durable or refused, and none is computed meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#turns.push(() => work().then(resolve, reject))
      this.#start()
    })
  }

  /** Shows a durable state to readers, then answers its writers, then announces its commits. */
  async show(head: Head, records: JournalCommit[], replaced: string[], answers: WriteBatch['answers'] = []) {
    const { objects, shared, committed } = this.#options
    this.head = head
    shared?.show()
    for (const answer of answers) answer()
    if (records.length > 0) committed(records)
    const pause = slices()
    for (const id of replaced) {
      objects.forget(id)
      await pause()
    }
  }

  /** Refuses all writes from now on. @returns the failure of their answers */
  fail(error: unknown, answers: WriteBatch['answers'] = []): Failure {
    if (!this.failure) {
      this.#options.log.error({ err: error }, 'a batch of writes was refused')
      this.failure = diskFailure(error)
      this.#options.failed()
    }
    for (const answer of answers) answer(this.failure)
    this.#refuse(this.failure)
    return this.failure
  }

  #start(): void {
    // A throw here would leave every writer waiting, and end the process.
    if (!this.#working) this.#work().catch(error => this.#refuse(diskFailure(error)))
  }

  async #work(): Promise<void> {
    this.#working = true
    try {
      // The caller gets its promise before its work begins.
      await undefined
      while (this.#waiting.length > 0 || this.#turns.length > 0) {
        // One turn gathers requests that arrive together; a lone writer need not wait. It is no slice of long work:
        // writes do not queue behind other organizations' slices.
        if (this.#together > 1) await nextImmediate()
        // One after the other: turns may come without end where others write, and so may writes.
        this.#turned = this.#turns.length > 0 && !(this.#turned && this.#waiting.length > 0)
        if (this.#turned) await this.#turns.shift()!()
        else await this.#next()
      }
    } finally {
      this.#working = false
    }
  }

  async #next(): Promise<void> {
    try {
      await this.#options.ahead.prepare()
    } catch (error) {
      this.#options.log.error({ err: error }, 'there is no room for more writes')
      return this.#refuse(diskFailure(error))
    }
    const batch = this.#compute(this.#waiting)
    this.#waiting = this.#waiting.slice(batch.jobs.length)
    const overtaken = await this.#commit(batch)
    if (overtaken.length > 0) await this.#again(overtaken)
  }

  #compute(jobs: QueuedWrite[]): WriteBatch {
    const { objects, ahead, now } = this.#options
    const batch = runBatch(jobs, this.head, objects, ahead.segment.pack, () => Math.floor(now() / 1000))
    this.#together = batch.jobs.length
    return batch
  }

  /**
   * Writes a batch durably, after the rest of a long job was computed in slices. Objects and records are handed over
   * in one turn: {@link WriteAhead} counts on it.
   * @returns the jobs that another node overtook, to be run again
   */
  async #commit(batch: WriteBatch): Promise<QueuedWrite[]> {
    const { ahead, shared } = this.#options
    const { jobs, rest, answers } = batch
    if (rest) {
      const check = () => {
        if (shared?.isOvertaken) throw AGAIN
      }
      try {
        const computed = await inSlices(rest, check)
        add(batch, jobs[0]!, computed, ahead.segment.pack)
      } catch (error) {
        if (error === AGAIN) return jobs
        refuse(batch, jobs[0]!, error)
      }
    }
    const { records, head, replaced } = batch
    try {
      await ahead.acknowledge(records, head)
    } catch (error) {
      if (error instanceof Overtaken) return jobs
      if (shared && error instanceof Failure) for (const answer of answers) answer(error)
      else this.fail(error, answers)
      return []
    }
    await this.show(head, records, replaced, answers)
    return []
  }

  /** Runs overtaken jobs again, before all others and while no other node can write. */
  async #again(overtaken: QueuedWrite[]): Promise<void> {
    const { ahead, shared } = this.#options
    let left = overtaken
    try {
      for (let repeats = 1; left.length > 0; ) {
        // For each batch: its commit is the end of a turn.
        await shared!.hold()
        await ahead.prepare()
        const batch = this.#compute(left)
        const again = await this.#commit(batch)
        left = [...again, ...left.slice(batch.jobs.length)]
        await shared!.letGo()
        if (this.failure) throw this.failure
        if (again.length > 0 && ++repeats > REPEATS) throw STILL_OVERTAKEN
      }
    } catch (error) {
      for (const job of left) job.reject(diskFailure(error))
    } finally {
      await shared!.letGo()
    }
  }

  #refuse(failure: Failure): void {
    for (const job of this.#waiting.splice(0)) job.reject(failure)
  }
}
