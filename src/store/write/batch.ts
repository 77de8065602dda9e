/** A batch of writes: each runs on the state the one before left; all become durable together. */
import type { Failure } from '../../bundle/errors.ts'
import { isSteps, type Steps } from '../../scheduling/steps.ts'
import { type Author, type CommitMessage, identity, messageText } from '../objects/commit.ts'
import type { PackBuilder } from '../objects/pack-builder.ts'
import type { Head, Objects } from '../snapshot.ts'
import type { JournalCommit } from './journal.ts'
import { type BuiltCommit, OpenTransaction, type Transaction } from './transaction.ts'

/** A write's result and the message of its commit. */
export type ProposedCommit<T> = { result: T; message: CommitMessage }

/**
 * What a write runs in the queue on the newest state: at once, or in steps when it changes many files. Between two
 * steps only the organization's other writes wait.
 */
export type WriteFunction<T> = (transaction: Transaction) => ProposedCommit<T> | Steps<ProposedCommit<T>>

/** The result of a write; `revision` is its commit, null in a repository without any. */
export interface AcknowledgedWrite<T> {
  result: T
  revision: string | null
}

export interface QueuedWrite {
  run: WriteFunction<unknown>
  author: Author
  resolve: (written: AcknowledgedWrite<unknown>) => void
  reject: (error: unknown) => void
}

/** A batch of writes. It counts once `records` are durable. */
export interface WriteBatch {
  records: JournalCommit[]
  head: Head
  /** Blobs and trees that are past once the batch is durable. */
  replaced: string[]
  /** Jobs removed from the queue's front, in order. */
  jobs: QueuedWrite[]
  /** One for each job: call them once the batch is durable, or with the reason why not. */
  answers: ((failure?: Failure) => void)[]
  /** The rest of a job that is too long for one turn. The batch then has no other. */
  rest: Steps<Computed> | undefined
}

interface Computed {
  result: unknown
  made: BuiltCommit | undefined
}

/** Jobs of a batch. All are answered in one turn, and an answer costs more than most writes. */
const JOBS = 64
const BYTES = 4 * 1024 * 1024
/** Milliseconds to compute a batch: other requests wait meanwhile. */
const MILLISECONDS = 6

/**
 * Runs jobs on `head` and adds their objects to `pack`, until the batch is large or its time is over.
 * @param jobs from the queue's front; those that are not in the batch have left no trace
 * @param now seconds since 1970; a commit's time never precedes its parent's
 */
export function runBatch(
  jobs: QueuedWrite[],
  head: Head,
  objects: Objects,
  pack: PackBuilder,
  now: () => number,
): WriteBatch {
  const batch: WriteBatch = { records: [], head, replaced: [], jobs: [], answers: [], rest: undefined }
  const deadline = performance.now() + MILLISECONDS
  const full = pack.bytes + BYTES
  for (const job of jobs) {
    const steps = computing(job, batch.head, objects, now)
    try {
      let step = steps.next()
      while (!step.done && performance.now() < deadline) step = steps.next()
      if (step.done) add(batch, job, step.value, pack)
      // A long job starts a batch of its own.
      else if (batch.jobs.length > 0) break
      else batch.rest = steps
    } catch (error) {
      refuse(batch, job, error)
    }
    batch.jobs.push(job)
    if (batch.jobs.length >= JOBS || pack.bytes >= full || performance.now() >= deadline) break
  }
  return batch
}

function* computing(job: QueuedWrite, head: Head, objects: Objects, now: () => number): Steps<Computed> {
  const transaction = new OpenTransaction(objects, head)
  const used = job.run(transaction)
  const { result, message } = isSteps(used) ? yield* used : used
  const time = Math.max(now(), head.time)
  const details = { author: identity(job.author), time, message: messageText(message) }
  return { result, made: yield* transaction.commit(details) }
}

export function add(batch: WriteBatch, { resolve, reject }: QueuedWrite, computed: Computed, pack: PackBuilder): void {
  const { result, made } = computed
  if (made) {
    made.addTo(pack)
    batch.records.push(made.record)
    for (const id of made.replaced) batch.replaced.push(id)
    batch.head = made.head
  }
  const revision = batch.head.commit
  batch.answers.push(failure => (failure ? reject(failure) : resolve({ result, revision })))
}

/** Answers a job with what it threw, once the batch is durable: the error may rest on its writes. */
export function refuse(batch: WriteBatch, job: QueuedWrite, error: unknown): void {
  batch.answers.push(failure => job.reject(failure ?? error))
}
