/** A batch of writes: each runs on the state that the one before it left, all become durable together. */
import type { Failure } from '../../bundle/errors.ts'
import { type Author, type CommitMessage, identity, messageText } from '../objects/commit.ts'
import type { PackBuilder } from '../objects/pack-builder.ts'
import type { Head, Objects } from '../snapshot.ts'
import type { JournalCommit } from './journal.ts'
import { OpenTransaction, type Transaction } from './transaction.ts'

/** What a write runs inside the queue: it reads and changes the newest state, and says what to call the change. */
export type Use<T> = (transaction: Transaction) => { result: T; message: CommitMessage }

/** What a write came to; `revision` is the commit it is part of, null in a repository without any. */
export interface Written<T> {
  result: T
  revision: string | null
}

/** A write that waits in an organization's queue. */
export interface Job {
  run: Use<unknown>
  author: Author
  resolve: (written: Written<unknown>) => void
  reject: (error: unknown) => void
}

/**
 * What a batch has made; nothing of it counts before `records` are in the journal. The next batch may be computed on `head`
 * before that, and then stands and falls with this one.
 */
export interface Batch {
  records: JournalCommit[]
  head: Head
  /** Blobs and trees that are of the past once it is durable. */
  replaced: string[]
  /** How many jobs it took from the queue's front. */
  taken: number
  /** Tells every job of it how it went: to be called once the batch is durable, or with why it is not. */
  answers: ((failure?: Failure) => void)[]
}

const COMMITS = 256
const BYTES = 4 * 1024 * 1024
// Other requests wait for as long as this runs; a sync under way hides about as much.
const MILLISECONDS = 6

/**
 * Runs jobs on `head`, adding what they make to `pack`, until the batch is large enough or has taken long enough.
 * @param jobs from the queue's front
 * @param now seconds since 1970; a commit's time never precedes its parent's
 */
export function runBatch(jobs: Job[], head: Head, objects: Objects, pack: PackBuilder, now: () => number): Batch {
  const batch: Batch = { records: [], head, replaced: [], taken: 0, answers: [] }
  const deadline = performance.now() + MILLISECONDS
  const full = pack.bytes + BYTES
  for (const job of jobs) {
    batch.taken++
    batch.answers.push(runJob(job, batch, objects, pack, now))
    if (batch.records.length >= COMMITS || pack.bytes >= full || performance.now() >= deadline) break
  }
  return batch
}

/** Adds the job's commit, if it makes one, to the batch; returns how to answer it. */
function runJob(
  { run, author, resolve, reject }: Job,
  batch: Batch,
  objects: Objects,
  pack: PackBuilder,
  now: () => number,
) {
  try {
    const transaction = new OpenTransaction(objects, batch.head)
    const { result, message } = run(transaction)
    const time = Math.max(now(), batch.head.time)
    const made = transaction.commit(pack, { author: identity(author), time, message: messageText(message) })
    if (made) {
      batch.records.push(made.record)
      for (const id of made.replaced) batch.replaced.push(id)
      batch.head = made.head
    }
    const revision = batch.head.commit
    return (failure?: Failure) => (failure ? reject(failure) : resolve({ result, revision }))
  } catch (error) {
    // What it threw may rest on a write of this batch, so it too is told only when the batch is durable.
    return (failure?: Failure) => reject(failure ?? error)
  }
}
