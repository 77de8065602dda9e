/** The problem that ends a command: a sentence, a place and a remedy. */
import { Failure } from '../bundle/errors.ts'
import { shorten } from '../bundle/names.ts'

/** The place, the remedy and the exit code of a problem. */
export interface Where {
  /** 1: failed, or out of date (the default). 2: wrong usage, setting or credential. */
  exit?: 1 | 2
  /** Relative to the working folder. */
  file?: string
  /** Counted from 1, the column in UTF-16 code units. */
  line?: number
  column?: number
  key?: string
  /** The remedy, as a sentence. */
  hint?: string
  cause?: unknown
  /** Further members of the `--json` document, beside `error`. */
  data?: object
}

export class Problem extends Error {
  readonly exit: 1 | 2
  readonly where: Where

  constructor(message: string, where: Where = {}) {
    super(message, where.cause === undefined ? {} : { cause: where.cause })
    this.exit = where.exit ?? 1
    this.where = where
  }

  /** The sentence for standard error: `locales/en/common.json:3:1: …` with key and hint. */
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

/** A problem of usage or of a setting, with exit code 2. */
export const usage = (message: string, where: Where = {}): Problem => new Problem(message, { ...where, exit: 2 })

/** Runs a check of a name. Its failure becomes a problem of usage. @throws Problem (exit 2) */
export function checkUsage<T>(check: () => T, where: Where = {}): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof Failure) throw usage(error.message, { ...where, cause: error })
    throw error
  }
}
