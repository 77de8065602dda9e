/** How fast a client reads an output that holds a slot, and its end when others wait: see `fair-slots.ts`. */
import type { Readable } from 'node:stream'

/** The window of the measurement in milliseconds. */
const PACE_MS = 10_000

export class PacedOutput {
  readonly #why: string
  #output: (Readable & { bytesRead?: number }) | undefined
  /** The bytes read at each time of the window, oldest first. */
  readonly #marks: { at: number; bytes: number }[] = []

  /** @param why the reason of a cut, for the log */
  constructor(why: string) {
    this.#why = why
  }

  /** Sets the output; `bytesRead` counts its input. */
  of<T extends Readable & { bytesRead?: number }>(output: T): T {
    this.#output = output
    this.#mark()
    return output
  }

  /** Recent bytes a second; undefined while there is nothing to read. */
  pace(): number | undefined {
    if (this.#output === undefined) return undefined
    const { at, bytes } = this.#mark()
    const [first] = this.#marks
    if (this.#output.readableLength === 0 || at - first!.at < PACE_MS / 4) return undefined
    return ((bytes - first!.bytes) / (at - first!.at)) * 1000
  }

  /** Breaks the connection: a partial output must not look complete. */
  cut(): void {
    this.#output?.destroy(new Error(this.#why))
  }

  #mark(): { at: number; bytes: number } {
    const { bytesRead = 0, readableLength } = this.#output!
    const mark = { at: performance.now(), bytes: bytesRead - readableLength }
    this.#marks.push(mark)
    while (this.#marks.length > 2 && this.#marks[1]!.at <= mark.at - PACE_MS) this.#marks.shift()
    return mark
  }
}
