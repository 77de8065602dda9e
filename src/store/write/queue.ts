/** The writes of one organization: queued, computed in batches, written durably, answered in order. */
import { Failure } from '../../bundle/errors.ts'
import { inSlices } from '../../scheduling/steps.ts'
import { diskFailure } from '../disk.ts'
import type { Logger } from '../log.ts'
import type { Author } from '../objects/commit.ts'
import type { Head, Objects } from '../snapshot.ts'
import { answerWriters } from './answer-writers.ts'
import {
  type AcknowledgedWrite,
  add,
  emptyBatch,
  type QueuedWrite,
  refuse,
  runBatch,
  type UnfinishedWrite,
  type WriteBatch,
  type WriteFunction,
} from './batch.ts'
import type { JournalCommit } from './journal.ts'
import { Pace } from './pace.ts'
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
  /** Gets each state that is on the disk, before anyone is answered. */
  durable: (head: Head) => void
  /** Gets the commits of each batch, in order, once all its writers are answered. */
  committed: (records: JournalCommit[]) => void
  failed: () => void
  /** Where other nodes write to the same organization: reads what they wrote. */
  shared?: SharedOrganization | undefined
}

/** Maximum re-runs after losing the shared-log race; then the writes fail. */
const REPEATS = 5
const NOT_TRIED = new Failure(
  'unavailable',
  'The result of the write before this one is unknown, and this one was not tried; try again.',
  { retryAfter: 1 },
)

/** What a job in its steps is stopped with, to be run again. */
const AGAIN = new Error('the state it rests on was overtaken')

/**
 * Computes the next batch while the one before is being synced. Readers see its state, and answers leave, only once it
 * is durable. When the disk refuses a batch, all batches on top are refused. Another node's entry may stand in a
 * batch's place in a shared log. That batch and the one on top are then dropped, and their jobs run again.
 */
export class WriteQueue {
  /** Set when the disk refused a batch: all later writes are refused. */
  failure: Failure | undefined
  readonly #options: QueueOptions
  readonly #pace = new Pace()
  /** The last computed state; the next write runs on it. */
  #newest: Head
  #durable: Head
  #waiting: QueuedWrite[] = []
  #together = 0
  #working = false
  /** Settles when the last computed batch is answered. */
  #syncing: Promise<void> | undefined
  readonly #answer: ReturnType<typeof answerWriters>
  /** What is to be done while no batch is under way. */
  readonly #turns: (() => Promise<void>)[] = []
  /** Whether one of these came last, and not a batch. */
  #turned = false
  /** Set when a shared log refused a batch: the jobs to run again, in order. */
  #dropped: QueuedWrite[] | undefined
  /** Whether this node holds the turn, so that no other node writes. */
  #held = false
  /** Times in a row that jobs had to run again. */
  #repeats = 0

  constructor(options: QueueOptions) {
    this.#options = options
    this.#newest = options.head
    this.#durable = options.head
    this.#answer = answerWriters(options.objects, options.committed)
  }

  get waiting(): number {
    return this.#waiting.length
  }

  get idle(): boolean {
    return !this.#working && this.#syncing === undefined
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

  /** Shows the state that another node's commits lead to. Only within {@link alone}. */
  async show(head: Head, records: JournalCommit[], replaced: string[]): Promise<void> {
    this.#newest = head
    this.#durable = head
    this.#options.durable(head)
    await this.#answer({ records, replaced, answers: [] })
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
    while (this.#waiting.length > 0 || this.#turns.length > 0 || this.#dropped) {
      // One turn gathers requests that arrive together; a lone writer need not wait.
      if (this.#together > 1) await new Promise(resolve => setImmediate(resolve))
      if (this.#dropped) await this.#again()
      // One after the other: turns may come without end where others write, and so may writes.
      else if (this.#turns.length > 0 && !(this.#turned && this.#waiting.length > 0)) await this.#turn()
      else await this.#next()
    }
    this.#working = false
  }

  async #turn(): Promise<void> {
    await this.#syncing
    // The jobs of a batch that was dropped come first.
    if (this.#dropped) return
    this.#turned = true
    await this.#turns.shift()!()
  }

  /** Runs the jobs of dropped batches again, before all others and while no other node can write. */
  async #again(): Promise<void> {
    // A batch on top of a dropped one is dropped too.
    await this.#syncing
    const jobs = this.#dropped!
    this.#dropped = undefined
    this.#options.ahead.restart()
    this.#newest = this.#durable
    if (jobs.length === 0) return
    this.#waiting.unshift(...jobs)
    let left = jobs.length
    const { shared } = this.#options
    try {
      if (++this.#repeats > REPEATS) throw STILL_OVERTAKEN
      while (left > 0 && !this.#dropped && !this.failure) {
        // For each batch: its commit is the end of a turn.
        await shared!.hold()
        this.#held = true
        await this.#options.ahead.prepare()
        const rest = this.#compute(left)
        left -= this.#together
        if (rest && this.#syncing) {
          this.#waiting.unshift(rest.job)
          left++
        } else if (rest) await this.#finish(rest)
        await this.#syncing
        await shared!.letGo()
      }
    } catch (error) {
      for (const job of this.#waiting.splice(0, left)) job.reject(diskFailure(error))
    } finally {
      this.#held = false
      await shared!.letGo()
    }
    if (this.failure) this.#refuse(this.failure)
  }

  /** Computes a batch during the sync before it, or waits for that. At most two are under way. */
  async #next(): Promise<void> {
    try {
      await this.#options.ahead.prepare()
    } catch (error) {
      this.#options.log.error({ err: error }, 'there is no room for more writes')
      return this.#refuse(diskFailure(error))
    }
    if (this.#dropped) return
    const before = this.#syncing
    const take = this.#pace.take(this.#waiting.length, before !== undefined)
    const rest = take > 0 ? this.#compute(take) : undefined
    this.#turned = false
    await before
    if (rest) await this.#finish(rest)
  }

  /** Runs waiting writes and hands them over in one turn: {@link WriteAhead} counts on it. @returns a longer job */
  #compute(take: number): UnfinishedWrite | undefined {
    const started = performance.now()
    const now = () => Math.floor(this.#options.now() / 1000)
    const batch = runBatch(
      this.#waiting.slice(0, take),
      this.#newest,
      this.#options.objects,
      this.#options.ahead.segment.pack,
      now,
    )
    this.#waiting = this.#waiting.slice(batch.taken)
    this.#together = batch.taken
    if (batch.answers.length > 0) this.#handOver(batch, started)
    return batch.rest
  }

  /** Computes a long job in slices, while other writes wait; its objects and record are added in one turn. */
  async #finish({ job, steps }: UnfinishedWrite): Promise<void> {
    const batch = emptyBatch(this.#newest)
    const check = () => {
      // Its base may have been refused, and is then in no pack.
      if (this.failure) throw this.failure
      if (this.#dropped || (!this.#held && this.#options.shared?.isOvertaken)) throw AGAIN
    }
    let started = performance.now()
    try {
      const computed = await inSlices(steps, check)
      started = performance.now()
      add(batch, job, computed, this.#options.ahead.segment.pack)
    } catch (error) {
      if (error === AGAIN) {
        await this.#syncing
        this.#dropped = [...(this.#dropped ?? []), job]
        return
      }
      refuse(batch, job, error)
    }
    this.#handOver(batch, started)
  }

  #handOver(batch: WriteBatch, started: number): void {
    this.#newest = batch.head
    const ended = performance.now()
    this.#pace.computed(batch.answers.length, ended - started)
    const syncing = this.#settle(batch, ended).then(() => {
      if (this.#syncing === syncing) this.#syncing = undefined
    })
    this.#syncing = syncing
  }

  /** Writes a batch durably, shows it to readers, answers its writers. */
  async #settle(batch: WriteBatch, computed: number): Promise<void> {
    const { records, head, answers } = batch
    try {
      await this.#options.ahead.acknowledge(records, head)
    } catch (error) {
      if (this.#options.shared && !this.failure && this.#drop(batch, error)) return
      // Every batch on top of a refused one comes here too.
      this.fail(error, answers)
      return
    }
    this.#repeats = 0
    if (records.length > 0) this.#pace.synced(computed, performance.now())
    this.#durable = head
    this.#options.durable(head)
    await this.#answer(batch)
  }

  /**
   * Handles a batch that a shared log refused. Overtaken jobs run again, others fail.
   * @returns false for other errors
   */
  #drop({ jobs, answers }: WriteBatch, error: unknown): boolean {
    const isOvertaken = error instanceof Overtaken
    if (!isOvertaken && !(error instanceof Failure)) return false
    // The batch on top was never handed to the log: of that one there is no doubt.
    const failure = isOvertaken || this.#dropped === undefined || !error.data.doubtful ? error : NOT_TRIED
    this.#dropped ??= []
    if (failure instanceof Overtaken) this.#dropped.push(...jobs)
    else for (const answer of answers) answer(failure)
    this.#start()
    return true
  }

  #refuse(failure: Failure): void {
    for (const job of this.#waiting.splice(0)) job.reject(failure)
  }
}
