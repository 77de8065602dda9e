/** Splits text that arrives in parts. A piece of many parts is joined once, at its end. */
export class Splitter {
  readonly #separator: string
  #parts: string[] = []

  constructor(separator: string) {
    this.#separator = separator
  }

  /** @returns the pieces that this text completes */
  take(text: string): string[] {
    const [first = '', ...others] = text.split(this.#separator)
    this.#parts.push(first)
    if (others.length === 0) return []
    const pieces = [this.#parts.join(''), ...others]
    this.#parts = [pieces.pop()!]
    return pieces
  }

  /** The text behind the last separator. */
  get rest(): string {
    return this.#parts.join('')
  }
}
