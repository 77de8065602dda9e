/** What a command is given to run with. */
import type { Config } from '../config.ts'
import type { Outcome, Report, Terminal } from './report.ts'

/** One call of a command. `O` are its options by their long names, in camel case. */
export interface Call<O = Record<string, never>> {
  /** The settings as the server would have them, with `--data-dir`. */
  config: Config
  options: O
  operands: string[]
  report: Report
  terminal: Terminal
}

/** A command. Its error is told in one line; a Failure `invalid` means wrong usage. */
export type Run<O> = (call: Call<O>) => Promise<Outcome | undefined>
