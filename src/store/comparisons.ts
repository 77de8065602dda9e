/** The differences of two bundle versions, remembered by blob ids: an id names the same bytes for ever. */
import type { ChangeCounts } from '../bundle/diff.ts'
import type { Message } from '../bundle/message.ts'
import type { ChangedFile } from '../project/changed-files.ts'
import { computeHere, type Offload } from '../project/offload.ts'
import type { DiffAnswer, DiffTask } from '../project/versions.ts'
import { type ByteCache, byteCache } from '../scheduling/byte-cache.ts'

/** Two versions of a file by their blob ids, null where it is absent. */
type Versions = Omit<ChangedFile, 'path'>

const NO_CHANGES: ChangeCounts = { added: 0, updated: 0, removed: 0 }
/** Bytes of an entry beside its names: two ids and the map's own room. */
const ENTRY_BYTES = 250

/** Each organization has its own entries, see {@link of}. */
export class Comparisons {
  readonly #counts: ByteCache<ChangeCounts>
  /** Pairs of versions with the same message of a key. */
  readonly #equal: ByteCache<true>
  readonly #compute: Offload
  readonly #owner: string

  /** @param limitBytes of all entries, or the entries of another @param owner stands before each name */
  constructor(limitBytes: number | Comparisons, compute: Offload = computeHere, owner = '') {
    this.#counts = limitBytes instanceof Comparisons ? limitBytes.#counts : byteCache(limitBytes / 2)
    this.#equal = limitBytes instanceof Comparisons ? limitBytes.#equal : byteCache(limitBytes / 2)
    this.#compute = compute
    this.#owner = owner
  }

  /** One organization's entries: answering times must not reveal what another one has compared. */
  of(owner: string): Comparisons {
    return new Comparisons(this, this.#compute, owner)
  }

  knownCounts(versions: Versions): ChangeCounts | undefined {
    return versions.before === versions.after ? NO_CHANGES : this.#counts.get(this.#nameOf(versions))
  }

  /** The differences. @param left aborted when no client waits for them any more */
  async diff(versions: Versions, task: DiffTask, left?: AbortSignal): Promise<DiffAnswer> {
    const answer = await this.#compute('diff', task, left)
    this.#counts.set(this.#nameOf(versions), answer.counts, { size: ENTRY_BYTES })
    return answer
  }

  /** A key's message in a file, null without one. */
  message(bytes: Buffer | null, key: string): Promise<Message | null> {
    return this.#compute('message', { bytes, key })
  }

  /** Whether a key is known to have the same message in both versions: most commits of a bundle change other keys. */
  hasEqual(versions: Versions, key: string): boolean {
    return this.#equal.get(`${this.#nameOf(versions)} ${key}`) ?? false
  }

  noteEqual(versions: Versions, key: string): void {
    this.#equal.set(`${this.#nameOf(versions)} ${key}`, true, { size: ENTRY_BYTES + key.length })
  }

  #nameOf({ before, after }: Versions): string {
    return `${this.#owner}${before}${after}`
  }
}
