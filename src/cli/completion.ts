/** What a shell is told to offer at a TAB: from the table of commands alone, without the network or the project's config. */
import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { makeProgram, type Program } from './program.ts'

/** The library adds the command that prints the scripts, which our table has. */
const ADDED = 'completion-script'

/**
 * Prints what may come next, as the scripts of `parlance completion` ask.
 * @param words typed so far, the last one perhaps empty
 */
export function complete(program: Program, words: string[]): void {
  const root = makeProgram(program, async () => {})
  shorten(root)
  const offered = tab(root, { completionCommandName: ADDED })
  offered.commands.delete(ADDED)
  offered.parse(words)
}

/** A menu has room for a summary, and the library offers descriptions. */
function shorten(command: Command): void {
  if (command.summary()) command.description(command.summary())
  for (const one of command.commands) shorten(one)
}
