/** What a command has of its process; made by main.ts, which alone touches `process`. */
import type { Environment } from '../config.ts'

/** See the top of the file. */
export interface Terminal {
  /** The command line after the program's own name. */
  words: string[]
  env: Environment
  /** Of Parlance, as in package.json. */
  version: () => string
  /** Write to standard output and standard error; resolve when the text has left, or nobody reads it. */
  out(text: string): Promise<void>
  err(text: string): Promise<void>
  input: () => AsyncIterable<Buffer>
  /** Aborted by the first signal that asks the process to end. */
  stop: AbortSignal
}
