/** Answers the writers of durable batches, then announces their commits, in order and a few in each turn. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Objects } from '../snapshot.ts'
import type { WriteBatch } from './batch.ts'
import type { JournalCommit } from './journal.ts'

/** Writers answered in one turn: answering costs more than many a write, and readers wait. */
const ANSWERS = 64
/** Past objects dropped from the cache in one turn. */
const FORGOTTEN = 1000

/** See the top of the file. */
export class Teller {
  readonly #objects: Objects
  readonly #committed: (records: JournalCommit[]) => void
  /** Durable batches, oldest first, until their writers and those of the batches before are answered. */
  readonly #untold: { records: JournalCommit[]; answered: boolean }[] = []

  /** @param committed gets the commits of each batch, in order, once all its writers are answered */
  constructor(objects: Objects, committed: (records: JournalCommit[]) => void) {
    this.#objects = objects
    this.#committed = committed
  }

  /** Call it for each batch as soon as it is durable; resolves when its writers are answered. */
  async tell({ records, replaced, answers }: Pick<WriteBatch, 'records' | 'replaced' | 'answers'>): Promise<void> {
    const told = { records, answered: false }
    if (records.length > 0) this.#untold.push(told)
    for (const [at, id] of replaced.entries()) {
      if (at % FORGOTTEN === FORGOTTEN - 1) await yieldToOthers()
      this.#objects.forget(id)
    }
    for (const [at, answer] of answers.entries()) {
      if (at > 0 && at % ANSWERS === 0) await yieldToOthers()
      answer()
    }
    told.answered = true
    while (this.#untold[0]?.answered) this.#committed(this.#untold.shift()!.records)
  }
}
