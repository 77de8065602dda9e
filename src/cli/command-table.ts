/** The types of a table of commands. */
import type { Run } from './context.ts'

/** An option of the table. */
export interface OptionRow {
  /** `--message <text>`, `-n, --dry-run`; `<…>` is a value, `<…...>` several. */
  flags: string
  about: string
  choices?: readonly string[]
  /** Whether a value is a list of choices with commas. */
  commas?: true
  needed?: true
  default?: string
}

/** A parsed option. */
export interface Option extends OptionRow {
  /** `--dry-run`. */
  long: string
  /** `-n`. */
  short: string | undefined
  /** `dryRun`; of `--no-push` it is `push`. */
  name: string
  values: 'none' | 'one' | 'many'
}

/** A command. */
export interface CommandRow {
  /** One to three words, then the operands: `push`, `release create <name>`. */
  usage: string
  /** For the list of all commands. */
  summary: string
  about?: string
  options?: OptionRow[]
  /** A working command line. */
  example: string
  /** The end of its help. */
  notes?: () => string
  /** Loads only its own module. */
  load: () => Promise<Run<never>>
}

/** A program. */
export interface Program {
  description: string
  rows: CommandRow[]
  /** Summaries of the words that begin several commands. */
  groups: Record<string, string>
  /** Commands of another program, each with a sentence. */
  elsewhere?: Record<string, string>
  /** The common options of a command. */
  common: (row: CommandRow) => OptionRow[]
  version: () => string
  /** Prints help. */
  out(text: string): void
}

/** The program itself, a group of commands, or a command. */
export interface Level {
  /** `parlance release create`. */
  path: string
  options: Option[]
  summary: string
  /** Undefined for a group. */
  row: CommandRow | undefined
  /** By word, in the table's order. */
  below: Map<string, Level>
}
