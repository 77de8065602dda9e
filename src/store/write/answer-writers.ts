import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Objects } from '../snapshot.ts'
import type { WriteBatch } from './batch.ts'
import type { JournalCommit } from './journal.ts'

/** Writers answered in one turn: an answer costs more than many writes, and readers wait. */
const ANSWERS = 64
/** Past objects dropped from the cache in one turn. */
const FORGOTTEN = 1000

type DurableBatch = Pick<WriteBatch, 'records' | 'replaced' | 'answers'>

/**
 * Answers the writers of durable batches, a few in each turn, then announces the commits in order.
 * @param committed receives the commits of each batch once its writers and those of earlier batches are answered
 * @returns a function to call with each batch as soon as it is durable; resolves when its writers are answered
 */
export function answerWriters(
  objects: Objects,
  committed: (records: JournalCommit[]) => void,
): (batch: DurableBatch) => Promise<void> {
  /** Durable batches, oldest first, until they are announced. */
  const unannounced: { records: JournalCommit[]; isAnswered: boolean }[] = []
  return async ({ records, replaced, answers }) => {
    const batch = { records, isAnswered: false }
    if (records.length > 0) unannounced.push(batch)
    for (const [at, id] of replaced.entries()) {
      if (at % FORGOTTEN === FORGOTTEN - 1) await yieldToOthers()
      objects.forget(id)
    }
    for (const [at, answer] of answers.entries()) {
      if (at > 0 && at % ANSWERS === 0) await yieldToOthers()
      answer()
    }
    batch.isAnswered = true
    while (unannounced[0]?.isAnswered) committed(unannounced.shift()!.records)
  }
}
