/** What a shell is told to offer at a TAB: from the table of commands alone, without the network or the project's config. */
import { leadTo, levelsOf } from './program.ts'
import type { Program } from './table.ts'

/**
 * Prints what may come next, as the scripts of `parlance completion` ask: a line each, with its meaning behind a tab.
 * @param words typed so far, the last one perhaps empty
 */
export function complete(program: Program, words: string[]): void {
  const before = words.slice(0, -1)
  // One that PowerShell would drop is sent as a space.
  const last = words.at(-1)?.trim() ?? ''
  const { level } = leadTo(
    levelsOf(program),
    before.filter(word => !word.startsWith('-')),
  )
  const flag = before.at(-1) ?? ''
  const open = level.options.find(({ long, short }) => long === flag || short === flag)
  const offered: [string, string][] =
    open && open.takes !== 'nothing'
      ? (open.choices ?? []).map(choice => [choice, ''])
      : last.startsWith('-')
        ? level.options.map(({ long, about }) => [long, about])
        : Array.from(level.below, ([word, { summary }]) => [word, summary])
  for (const [word, about] of offered) if (word.startsWith(last)) program.out(`${word}\t${about}\n`)
}
