/** Turns: how many may be at something at once, how many may wait for it, first come, first served. */

/** See the top of the file. */
export class Turns {
  readonly #atOnce: number
  readonly #mayWait: number
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(atOnce: number, mayWait: number) {
    this.#atOnce = atOnce
    this.#mayWait = mayWait
  }

  get load(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting.size }
  }

  /**
   * Resolves when it is the caller's turn, with what he must call once at its end; undefined when too many wait already.
   * @throws the signal's reason when it is aborted before his turn
   */
  async take(signal: AbortSignal): Promise<(() => void) | undefined> {
    signal.throwIfAborted()
    if (this.#running < this.#atOnce) this.#running++
    else if (this.#waiting.size < this.#mayWait) await this.#wait(signal)
    else return undefined
    return () => this.#end()
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#waiting.delete(enter)
        reject(signal.reason)
      }
      this.#waiting.add(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  /** The turn passes to whoever waits longest. */
  #end(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#running--
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
