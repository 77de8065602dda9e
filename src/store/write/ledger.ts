/** Where batches become durable before git has them: the folder's own journals, or a log that several nodes share. */
import { join } from 'node:path'
import { doubtfulFailure, syncFolder } from '../disk.ts'
import type { Logger } from '../log.ts'
import type { Head } from '../snapshot.ts'
import { JOURNAL_PREFIX, Journal, type JournalCommit } from './journal.ts'
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

/** Two journals in alternation: one accepts writes while the other's content is being sealed. */
export class FileLedger implements Ledger {
  readonly #gitDir: string
  readonly #log: Logger
  readonly #free: Journal[] = []
  /** The journal of each segment, from its first batch until it is sealed. */
  readonly #used = new Map<SealSegment, Journal>()
  #epoch: number

  /** @param epoch the highest one that a journal of this organization ever had */
  constructor({ gitDir, log, epoch }: { gitDir: string; log: Logger; epoch: number }) {
    this.#gitDir = gitDir
    this.#log = log
    this.#epoch = epoch
  }

  get bytes(): number {
    return this.#journals().reduce((sum, { position }) => sum + position, 0)
  }

  async append(segment: SealSegment, records: JournalCommit[]): Promise<void> {
    let journal = this.#used.get(segment)
    if (journal === undefined) {
      journal = this.#free.pop() ?? (await this.#makeJournal())
      journal.begin(++this.#epoch)
      this.#used.set(segment, journal)
    }
    try {
      await journal.append(records)
    } catch (error) {
      await journal.takeBack().catch(takingBack => {
        this.#log.error({ err: takingBack }, 'a refused batch could not be removed; a restart may bring it back')
        throw doubtfulFailure(error)
      })
      throw error
    }
  }

  async sealed(segment: SealSegment): Promise<void> {
    const journal = this.#used.get(segment)!
    this.#used.delete(segment)
    try {
      if (journal.doubtful) return await journal.remove()
      await journal.retire()
      this.#free.push(journal)
    } catch (error) {
      // Its records are in git, so the next start skips them; the descriptor is not trusted again.
      this.#log.warn({ err: error }, 'a sealed journal could not be emptied')
      await journal.close().catch(() => {})
    }
  }

  async close(): Promise<void> {
    for (const journal of this.#journals()) await journal.remove()
  }

  async abandon(): Promise<void> {
    await Promise.allSettled(this.#journals().map(journal => journal.close()))
  }

  #journals(): Journal[] {
    return [...this.#free, ...this.#used.values()]
  }

  async #makeJournal(): Promise<Journal> {
    const folder = join(this.#gitDir, 'parlance')
    const journal = await Journal.open(join(folder, `${JOURNAL_PREFIX}${++this.#epoch}`))
    await syncFolder(folder)
    return journal
  }
}
