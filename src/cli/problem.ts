/** What ends a command: a sentence for people, where it is, and what to do. */

import { shorten } from '../bundle/names.ts'

/** Where a problem lies and what it comes to; each member is optional. */
export interface Where {
  /** 1: failed, or out of date (the default). 2: wrong usage, config or credentials' setting. */
  exit?: 1 | 2
  /** As people write it, relative to the working folder. */
  file?: string
  /** Counted from 1, the column in UTF-16 code units. */
  line?: number
  column?: number
  key?: string
  /** A sentence that says what to do. */
  hint?: string
  cause?: unknown
  /** What else a program may want to know, beside `error` in the document of `--json`. */
  data?: object
}

/** See the top of the file. */
export class Problem extends Error {
  readonly exit: 1 | 2
  readonly where: Where

  constructor(message: string, where: Where = {}) {
    super(message, where.cause === undefined ? {} : { cause: where.cause })
    this.exit = where.exit ?? 1
    this.where = where
  }

  /** `locales/en/common.json:3:1: …` with key and hint, as standard error has it. */
  get sentence(): string {
    const { file, line, column, key, hint } = this.where
    const place = file === undefined ? '' : `${[file, line, column].filter(part => part !== undefined).join(':')}: `
    const named =
      key === undefined || this.message.includes(JSON.stringify(key)) ? '' : ` (key ${JSON.stringify(shorten(key))})`
    return `${place}${this.message}${named}${hint === undefined ? '' : ` ${hint}`}`
  }

  /** The document of `--json`. */
  get document(): object {
    const { file, line, column, key, hint, data } = this.where
    return { error: this.message, file, line, column, key, hint, ...data }
  }
}

/** Wrong usage or a wrong setting: exit code 2. */
export const usage = (message: string, where: Where = {}): Problem => new Problem(message, { ...where, exit: 2 })
