/** Where batches become durable before git has them: the folder's own journals, or a log that several nodes share. */
import type { Head } from '../snapshot.ts'
import type { JournalCommit } from './journal.ts'
import type { SealSegment } from './seal.ts'

/** One batch at a time. */
export interface Ledger {
  /** Bytes on this disk of what is not sealed. */
  readonly bytes: number
  /**
   * Stores a batch durably, all of it or nothing, as a part of what `segment` will seal.
   * @param head the state after it
   * @throws the disk's error, or the log's; `Overtaken` when others wrote to a shared one first
   */
  append(segment: SealSegment, records: JournalCommit[], head: Head): Promise<void>
  /** Git has everything of a segment. */
  sealed(segment: SealSegment): Promise<void>
  /** Gives everything back; all is sealed. */
  close(): Promise<void>
  /** Lets go; what is not sealed stays for the next opening. */
  abandon(): Promise<void>
}
