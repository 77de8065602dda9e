/** What a command is given to run with. */
import type { Config } from '../config.ts'
import type { Outcome, Report } from './report.ts'
import type { Terminal } from './terminal.ts'

/** One call of a command. `O` is what its options come to, by their long names in camel case. */
export interface Call<O = Record<string, never>> {
  /** The settings as the server would have them, `--data-dir` taken into account. */
  config: Config
  options: O
  operands: string[]
  report: Report
  terminal: Terminal
}

/** A command. What it throws is told in one line: a Failure `invalid` means that it was called wrongly. */
export type Run<O> = (call: Call<O>) => Promise<Outcome | undefined>
