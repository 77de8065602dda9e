/** Stores batches in the shared log, and follows the entries of other nodes. */
import { randomUUID } from 'node:crypto'
import type { RefsChange } from '../../store/refs/change-refs.ts'
import type { Head } from '../../store/snapshot.ts'
import type { JournalCommit } from '../../store/write/journal.ts'
import type { Ledger } from '../../store/write/ledger.ts'
import type { SealSegment } from '../../store/write/seal.ts'
import { Overtaken } from '../../store/write/shared-log.ts'
import { type ClusterLog, type LogEntry, type LogTurn, upTo } from '../cluster-log.ts'
import { renderBatch, renderRefs } from './entry.ts'

/**
 * One organization's stream. It counts entries at four stages: announced, committed, applied in order, and shown to
 * readers.
 */
export class SharedLedger implements Ledger {
  readonly bytes = 0
  readonly log: ClusterLog
  readonly stream: string
  readonly #unfollow: () => void
  #known = upTo(0)
  /** Whether it is known which entries git has. */
  #isPlaced = false
  #applied = 0
  #shown = 0
  #appending = false
  #turn: LogTurn | undefined
  #news: () => void = () => {}
  /** The last entry of each segment that is not sealed. */
  readonly #upTo = new Map<SealSegment, number>()

  /** Follows the stream from now on, so that no entry is missed between a read and the first notification. */
  constructor(log: ClusterLog, stream: string) {
    this.log = log
    this.stream = stream
    this.#unfollow = log.follow(stream, position => {
      this.#known = position
      if (this.isOvertaken) this.#news()
    })
  }

  get heard(): number {
    return this.#known.announced
  }

  get shown(): number {
    return this.#shown
  }

  /** Whether readers may be shown less than there is. */
  get isBehind(): boolean {
    return !this.#isPlaced || this.#known.announced > this.#shown
  }

  /** The same for a write on top of an own entry under way: an entry of another node may be missing. */
  get isLacking(): boolean {
    return this.#known.announced > this.#applied + Number(this.#appending)
  }

  /** Whether another node's entry is known to be committed and was not applied. */
  get isOvertaken(): boolean {
    return this.#known.committed > this.#applied + Number(this.#appending)
  }

  /** @param seq the number of the last entry that git has */
  startAfter(seq: number): void {
    this.#isPlaced = true
    this.#applied = seq
    this.#shown = seq
  }

  /** Calls `news` whenever others wrote. */
  listen(news: () => void): void {
    this.#news = news
    if (this.isOvertaken) news()
  }

  async append(segment: SealSegment, records: JournalCommit[], head: Head): Promise<void> {
    await this.#write(await renderBatch(records), head)
    this.#upTo.set(segment, this.#applied)
  }

  /** As {@link append}, with {@link show} and {@link allSealed} to follow. */
  async appendRefs(change: RefsChange, head: Head): Promise<void> {
    await this.#write(await renderRefs(change), head)
  }

  async #write(frame: Buffer, { commit: head }: Head): Promise<void> {
    if (this.isOvertaken) throw new Overtaken()
    this.#appending = true
    try {
      const entry = { id: randomUUID(), head, frame }
      await (this.#turn ? this.#turn.append(this.#applied, entry) : this.log.append(this.stream, this.#applied, entry))
      this.#applied++
    } finally {
      this.#appending = false
    }
  }

  /** The next entries; none at the end. */
  read(): Promise<LogEntry[]> {
    return this.log.read(this.stream, this.#applied)
  }

  /** Notes that an entry was applied, as a part of what a segment will seal. @throws Error when it is not the next */
  noteApplied(seq: number, segment?: SealSegment): void {
    if (seq !== this.#applied + 1) throw new Error(`entry ${seq} of the shared log came after ${this.#applied}`)
    this.#applied = seq
    if (segment) this.#upTo.set(segment, seq)
  }

  /** Notes that readers see all applied entries. */
  show(): void {
    this.#shown = this.#applied
  }

  /** Stops the other nodes from writing until {@link letGo}. @throws Failure `unavailable` */
  async hold(): Promise<void> {
    this.#turn ??= await this.log.turn(this.stream)
  }

  async letGo(): Promise<void> {
    const turn = this.#turn
    this.#turn = undefined
    // One that is lost is free.
    await turn?.release().catch(() => {})
  }

  async sealed(segment: SealSegment): Promise<void> {
    const seq = this.#upTo.get(segment)!
    this.#upTo.delete(segment)
    this.log.sealed(this.stream, seq, segment.head.commit)
  }

  /** Notes that git has all applied entries. */
  allSealed(head: Head): void {
    this.log.sealed(this.stream, this.#applied, head.commit)
  }

  async close(): Promise<void> {
    this.#unfollow()
  }

  /** Goes on following: the remaining readers must not mistake an old state for the newest. */
  async abandon(): Promise<void> {}

  /** Ends the reads. */
  release(): void {
    this.#unfollow()
  }
}
