/** The differences of two bundle versions, remembered by blob ids: an id names the same bytes for ever. */
import type { ChangeCounts } from '../bundle/diff.ts'
import type { Message } from '../bundle/message.ts'
import { type ByteCache, byteCache } from '../byte-cache.ts'
import { computeDiff, type DiffAnswer, type DiffTask, messageIn } from '../project/versions.ts'
import { changedMembers } from './changed-members.ts'

/** Two versions of a file by their blob ids, null where it is absent. */
export interface Versions {
  before: string | null
  after: string | null
}

/** The bytes of two versions; null where the file is absent. */
export interface VersionBytes {
  before: Buffer | null
  after: Buffer | null
}

/** Computes outside the event loop what would hold it for long. */
export interface ComparingWorker {
  /** @param left aborted when nobody waits any more */
  diff(task: DiffTask, left?: AbortSignal): Promise<DiffAnswer>
  message(task: { bytes: Buffer; key: string }): Promise<Message | null>
}

/** Bytes of both versions together: at this size others wait some 25 ms. */
const LARGE = 256 * 1024

/** Whether comparing these versions would hold up others. */
const isLarge = ({ before, after }: Pick<DiffTask, 'before' | 'after'>): boolean =>
  (before?.length ?? 0) + (after?.length ?? 0) > LARGE

const NO_CHANGES: ChangeCounts = { added: 0, updated: 0, removed: 0 }
/** Bytes of an entry beside its names: two ids and the map's own room. */
const ENTRY_BYTES = 250

/** See the top of the file. Each organization has its own entries, see {@link of}. */
export class Comparisons {
  readonly #counts: ByteCache<ChangeCounts>
  readonly #members: ByteCache<readonly string[] | 'any'>
  readonly #worker: ComparingWorker | undefined
  readonly #owner: string

  /** @param limitBytes of all entries, or the entries of another @param owner stands before each name */
  constructor(limitBytes: number | Comparisons, worker?: ComparingWorker, owner = '') {
    this.#counts = limitBytes instanceof Comparisons ? limitBytes.#counts : byteCache(limitBytes / 2)
    this.#members = limitBytes instanceof Comparisons ? limitBytes.#members : byteCache(limitBytes / 2)
    this.#worker = worker
    this.#owner = owner
  }

  /** One organization's entries: answering times must not tell what another one has compared. */
  of(owner: string): Comparisons {
    return new Comparisons(this, this.#worker, owner)
  }

  /** How many keys differ, if known without the bytes. */
  knownCounts(versions: Versions): ChangeCounts | undefined {
    return versions.before === versions.after ? NO_CHANGES : this.#counts.get(this.#nameOf(versions))
  }

  /** The differences, computed at once: for versions that are not {@link isLarge}. */
  diff(versions: Versions, task: DiffTask): DiffAnswer {
    return this.#noted(versions, computeDiff(task))
  }

  /** As {@link diff}; large versions are compared in the worker. */
  async diffInWorker(versions: Versions, task: DiffTask, left?: AbortSignal): Promise<DiffAnswer> {
    if (!isLarge(task) || this.#worker === undefined) return this.diff(versions, task)
    return this.#noted(versions, await this.#worker.diff(task, left))
  }

  /** A key's message in a file; in a large file the worker looks for it. */
  async message(bytes: Buffer | null, key: string): Promise<Message | null> {
    if (bytes === null || bytes.length <= LARGE || this.#worker === undefined) return messageIn({ bytes, key })
    return this.#worker.message({ bytes, key })
  }

  #noted(versions: Versions, answer: DiffAnswer): DiffAnswer {
    this.#counts.set(this.#nameOf(versions), answer.counts, { size: ENTRY_BYTES })
    return answer
  }

  /** The members whose texts may differ, `any` when only reading tells; undefined when not remembered. */
  knownMembers(versions: Versions): readonly string[] | 'any' | undefined {
    return this.#members.get(this.#nameOf(versions))
  }

  /** @param bytes those of `after` must be canonical */
  members(versions: Versions, { before, after }: { before: Buffer; after: Buffer }): readonly string[] | 'any' {
    const members = changedMembers(before, after) ?? 'any'
    const size = members === 'any' ? 0 : members.reduce((sum, name) => sum + 2 * name.length + 50, 0)
    this.#members.set(this.#nameOf(versions), members, { size: ENTRY_BYTES + size })
    return members
  }

  #nameOf({ before, after }: Versions): string {
    return `${this.#owner}${before}${after}`
  }
}
