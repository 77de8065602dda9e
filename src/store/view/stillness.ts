/** Waits until a file that is being changed has stopped changing: editors truncate and write, rename away and write anew. */
import { classify } from './judge.ts'
import { look, stampNow } from './plain-file.ts'

/** Between two looks. */
const PERIOD_MS = 50
/** How many looks in a row must find the same: a file that is gone may be about to come back under the same name. */
const LOOKS = 2
const LOOKS_WHEN_GONE = 5
/** A project's file may be the first to go of a whole folder that is being removed. */
const LOOKS_WHEN_PROJECT_GONE = 12
/** A name and a stamp each: some 300 bytes. */
const WAITING_LIMIT = 4000
/** What came to rest together is judged together, in so many files at a time. */
const BATCH = 64

/** Files waiting for stillness, at most some thousands; past that, {@link add} refuses and a scan must find them. */
export class Stillness {
  readonly #root: string
  readonly #still: (paths: string[]) => Promise<void>
  readonly #own: (path: string, stamp: string) => boolean
  #waiting = new Map<string, { stamp: string; looks: number }>()
  #running: Promise<void> | undefined
  #closed = false

  /**
   * @param still gets files that have not changed for two looks or more, in batches, one batch after the other; it must not throw
   * @param own tells our own writing by its stamp: such a file need not be looked at again
   */
  constructor(root: string, still: (paths: string[]) => Promise<void>, own: (path: string, stamp: string) => boolean) {
    this.#root = root
    this.#still = still
    this.#own = own
  }

  /** @returns false when too many files wait already */
  add(path: string): boolean {
    if (this.#closed) return true
    if (!this.#waiting.has(path)) {
      if (this.#waiting.size >= WAITING_LIMIT) return false
      this.#waiting.set(path, { stamp: '', looks: 0 })
    }
    this.#running ??= this.#run()
    return true
  }

  /** Whether any file waits, or is being judged. */
  get busy(): boolean {
    return this.#running !== undefined
  }

  /** Resolves when no file waits. */
  async empty(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Forgets what waits (the next start finds it) and resolves when the batch in hand is done. */
  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.clear()
    await this.empty()
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      await new Promise(resolve => setTimeout(resolve, PERIOD_MS))
      const still: string[] = []
      for (const path of [...this.#waiting.keys()]) if (await this.#isStill(path)) still.push(path)
      for (const path of still) this.#waiting.delete(path)
      for (let i = 0; i < still.length; i += BATCH) await this.#still(still.slice(i, i + BATCH))
    }
    // In the same turn as the last look at the list: whoever adds to it later starts anew.
    this.#running = undefined
  }

  async #isStill(path: string): Promise<boolean> {
    // Under load nearly all that is heard of is our own: told by one call, without the thread pool that the journal needs.
    if (this.#own(path, stampNow(this.#root, path))) {
      this.#waiting.delete(path)
      return false
    }
    const found = await look(this.#root, path)
    const stamp = found.state === 'missing' ? 'missing' : found.stamp
    const waiting = this.#waiting.get(path)
    if (!waiting) return false
    waiting.looks = stamp === waiting.stamp ? waiting.looks + 1 : 1
    waiting.stamp = stamp
    return waiting.looks >= looksNeeded(path, found.state)
  }
}

function looksNeeded(path: string, state: string): number {
  if (state !== 'missing') return LOOKS
  return classify(path)?.kind === 'project' ? LOOKS_WHEN_PROJECT_GONE : LOOKS_WHEN_GONE
}
