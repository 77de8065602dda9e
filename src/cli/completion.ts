/** Completions at a TAB: from the table of commands alone, without the network and the config. */
import type { Program } from './command-table.ts'
import { leadTo, levelsOf } from './program.ts'

/**
 * Prints the possible next words for the scripts of `parlance completion`, one a line, each with a tab and its summary.
 * @param words typed so far; the last one may be empty
 */
export function complete(program: Program, words: string[]): void {
  const before = words.slice(0, -1)
  // The PowerShell script sends an empty word as a space.
  const last = words.at(-1)?.trim() ?? ''
  const { level } = leadTo(
    levelsOf(program),
    before.filter(word => !word.startsWith('-')),
  )
  const flag = before.at(-1) ?? ''
  const open = level.options.find(({ long, short }) => long === flag || short === flag)
  const offered: [string, string][] =
    open && open.values !== 'none'
      ? (open.choices ?? []).map(choice => [choice, ''])
      : last.startsWith('-')
        ? level.options.map(({ long, about }) => [long, about])
        : Array.from(level.below, ([word, { summary }]) => [word, summary])
  for (const [word, about] of offered) if (word.startsWith(last)) program.out(`${word}\t${about}\n`)
}
