/** What a table of commands consists of. */
import type { Run } from './context.ts'
import type { OptionRow, Place } from './options.ts'

/** A command. */
export interface Row {
  /** One to three words, then what it takes: `push`, `release create <name>`. */
  usage: string
  /** What it does, for the list of all commands. */
  summary: string
  about?: string
  options?: OptionRow[]
  /** A line that works. */
  example: string
  /** Told at the end of its help. */
  notes?: () => string
  /** Loaded when called: no command waits for what another one needs. */
  load: () => Promise<Run<never>>
}

/** What a program consists of. */
export interface Program {
  description: string
  rows: Row[]
  /** What the words that begin several commands stand for. */
  groups: Record<string, string>
  /** Words that are commands of another program, with what to say to those who try them. */
  elsewhere?: Record<string, string>
  /** What every command has, by the row: `globals` for those of developers. */
  common: (row: Row) => OptionRow[]
  version: () => string
  /** Where help goes. */
  out(text: string): void
}

/** The program itself, a group of commands, or a command. */
export interface Level extends Place {
  summary: string
  /** Undefined for a group. */
  row: Row | undefined
  /** By their words, in the table's order. */
  below: Map<string, Level>
}
