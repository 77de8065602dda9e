/** Takes in what other nodes wrote, and changes refs where they write too. */

import { Failure } from '../../bundle/errors.ts'
import type { Background } from '../../scheduling/background.ts'
import { doubtfulFailure } from '../disk.ts'
import { endsWithin } from '../ends-within.ts'
import type { PackBuilder } from '../objects/pack-builder.ts'
import { changeRefs, type RefsChange } from '../refs/change-refs.ts'
import { type LogEntry, Overtaken } from '../shared-log.ts'
import type { Head, Objects } from '../snapshot.ts'
import { readEntry } from './entry.ts'
import type { JournalCommit } from './journal.ts'
import { replay } from './replay.ts'
import type { SharedLedger } from './shared-ledger.ts'
import type { WriteAhead } from './write-ahead.ts'

/** Delays before another try to read what other nodes wrote, in milliseconds. */
const CATCH_UP_MS = [500, 5_000] as const

/** The engine may go away while one waits, and what is under way finds out for long what became of it. */
const PATIENCE_MS = 5000
const LOOK_MS = 250
const TOO_LATE = new Failure('unavailable', 'What another node wrote could not be read in time; try again.', {
  retryAfter: 2,
})

/** Makes a change of refs durable. @returns the id of its tag */
export type ChangeRefs = (change: RefsChange) => Promise<string>

/** What it asks of the organization's queue. */
interface Queue {
  readonly failure: Failure | undefined
  /** Runs `work` while no batch is under way. */
  alone<T>(work: () => Promise<T>): Promise<T>
  show(head: Head, records: JournalCommit[], replaced: string[]): Promise<void>
  fail(error: unknown): Failure
}

interface SharedWorkOptions {
  gitDir: string
  objects: Objects
  ledger: SharedLedger
  ahead: WriteAhead
  queue: () => Queue
  /** The durable state. */
  head: () => Head
  /** Called when refs changed that another node made. */
  changed: () => void
}

/** The part of an organization's queue that knows of other nodes. */
export class SharedWork {
  readonly #options: SharedWorkOptions
  /** The next catching up, which has not begun. */
  #next: Promise<void> | undefined

  constructor(options: SharedWorkOptions) {
    this.#options = options
  }

  /**
   * Takes in what other nodes write from now on, whether or not anybody asks.
   * @param isSealed whether git has all that is shown
   */
  follow(background: Background, isSealed: boolean): void {
    const { ledger, head } = this.#options
    if (isSealed) ledger.allSealed(head())
    const run = () => this.catchUp()
    const task = background.task({ name: 'reading what other nodes wrote', retry: CATCH_UP_MS, run })
    // The task has logged it.
    ledger.listen(() => void task.now().catch(() => {}))
  }

  /** Whether what is shown is not to be, since there may be more; what cannot be read is not waited for. */
  isBehind(purpose: 'read' | 'write'): boolean {
    const { ledger } = this.#options
    return (purpose === 'read' ? ledger.behind : ledger.lacking) && !ledger.log.stale
  }

  /** Ends the reads. */
  release(): void {
    this.#options.ledger.release()
  }

  /** Whether somebody else's entry is to be taken in, as far as known. */
  get overtaken(): boolean {
    return this.#options.ledger.overtaken
  }

  /** Resolves when readers see all that was heard of before. @throws Failure `unavailable` */
  catchUp(): Promise<void> {
    const { ledger, queue } = this.#options
    this.#next ??= queue().alone(async () => {
      // Who comes from now on may have heard more.
      this.#next = undefined
      await this.#readOn(ledger.heard)
    })
    return this.#next
  }

  /**
   * As {@link catchUp}, within a time. Resolves without it once reads go on as stale ones: the answer is marked then.
   * @throws Failure `unavailable`
   */
  async caughtUp(): Promise<void> {
    const { log } = this.#options.ledger
    const done = this.catchUp()
    const late = performance.now() + PATIENCE_MS
    try {
      while (!(await endsWithin(LOOK_MS, done)) && !log.stale) if (performance.now() > late) throw TOO_LATE
      if (!log.stale) await done
    } catch (error) {
      if (!log.stale) throw error
    }
  }

  /** Keeps the other nodes from writing until {@link letGo}, and takes in all that they wrote. @throws Failure */
  async hold(): Promise<void> {
    await this.#options.ledger.hold()
    await this.#readOn(Infinity)
  }

  letGo(): Promise<void> {
    return this.#options.ledger.letGo()
  }

  /**
   * Runs `use` when git has all there is and nobody else can write.
   * @throws Failure, and as `use` does
   */
  changeRefs<T>(use: (change: ChangeRefs) => Promise<T>): Promise<T> {
    const { ahead, queue } = this.#options
    return queue().alone(async () => {
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
    const { ledger, head } = this.#options
    await ledger.appendRefs(change, head())
    try {
      return await this.#apply(change)
    } catch (error) {
      // It is in the log, and the next opening reads it there.
      this.#options.queue().fail(error)
      throw doubtfulFailure(error)
    }
  }

  /** All before it is sealed. */
  async #apply(change: RefsChange): Promise<string> {
    const { gitDir, ledger, head } = this.#options
    const id = await changeRefs(gitDir, change)
    ledger.show()
    ledger.allSealed(head())
    return id
  }

  /** @param goal the number of an entry heard of; beyond it what comes along */
  async #readOn(goal: number): Promise<void> {
    const { ledger, queue } = this.#options
    const { failure } = queue()
    if (failure) throw failure
    try {
      while (ledger.shown < goal) {
        const entries = await ledger.read()
        for (const entry of entries) await this.#takeIn(entry)
        // What was heard of has not come, and may still; who waits here need not wait for what came since.
        if (entries.length === 0 || entries.at(-1)!.isLast) break
      }
    } catch (error) {
      if (error instanceof Failure) throw error
      throw queue().fail(error)
    }
  }

  async #takeIn(entry: LogEntry): Promise<void> {
    const { ledger, ahead } = this.#options
    const content = readEntry(entry)
    if (content.commits) return this.#takeInCommits(entry, content.commits)
    await ahead.seal()
    ledger.took(entry.seq)
    await this.#apply(content.refs)
    this.#options.changed()
  }

  async #takeInCommits({ seq }: LogEntry, records: JournalCommit[]): Promise<void> {
    const { objects, ledger, ahead, queue } = this.#options
    const replaced: string[] = []
    const make = (pack: PackBuilder) => replay(objects, pack, this.#options.head(), records, { exact: true, replaced })
    let head = this.#options.head()
    await ahead.prepare()
    await ahead.takeIn(async segment => {
      head = await make(segment.pack)
      ledger.took(seq, segment)
      return { records, head }
    })
    await queue().show(head, records, replaced)
  }
}

/** Others cannot write during a turn: it was lost again and again. */
export const STILL_OVERTAKEN = new Failure(
  'unavailable',
  'Other nodes wrote to this organization first, again and again; nothing was written. Try again.',
  { retryAfter: 1 },
)
