/** The text of `--help`. */
import type { Level, Option, Program } from './command-table.ts'

const EXIT_CODES = `Exit codes:
  0  done
  1  it failed, or something is out of date or wrong
  2  wrong usage, a wrong setting, or no valid credential`

/** Maximum characters of a line. */
export const WIDTH = 100

/** The help of a level of the command line. */
export function helpOf(level: Level, program: Program): string {
  const { path, row, options, below, summary } = level
  const isRoot = !path.includes(' ')
  const commands = [...below].map(([word, { row: own, summary: about }]): Line => {
    const operands = own ? own.usage.split(' ').filter(part => /^[<[]/.test(part)) : ['[command]']
    return [[word, ...operands].join(' '), about]
  })
  if (isRoot) commands.push(['help [command]', 'print the help of a command'])
  const flags = options.map((option): Line => [option.flags, aboutOf(option)])
  const width = Math.max(...[...commands, ...flags].map(([term]) => term.length))
  const operands = row ? row.usage.slice(row.usage.search(/ [<[]|$/)) : ' [command]'
  const about = [isRoot ? summary : `${capitalized(summary)}.`, row?.about ?? ''].join(' ').trim()
  const notes = row?.notes?.()
  return `${[
    `Usage: ${isRoot ? 'parlance <command> [options]' : `${path} [options]${operands}`}`,
    wrapped(about, WIDTH, ''),
    `Options:\n${lined(flags, width)}`,
    ...(commands.length > 0 ? [`Commands:\n${lined(commands, width)}`] : []),
    isRoot ? 'See `parlance <command> --help` for each command.' : `Example:\n  ${exampleOf(level, program)}`,
    EXIT_CODES,
    ...(notes === undefined ? [] : [notes]),
  ].join('\n\n')}\n`
}

/** A term and its description. */
type Line = [string, string]

function aboutOf({ about, choices, default: value }: Option): string {
  const more = [
    ...(choices ? [`choices: ${choices.map(choice => JSON.stringify(choice)).join(', ')}`] : []),
    ...(value === undefined ? [] : [`default: ${JSON.stringify(value)}`]),
  ]
  return more.length === 0 ? about : `${about} (${more.join(', ')})`
}

/** The example of a command, or of a group's first command. */
const exampleOf = ({ path, row }: Level, { rows }: Program): string =>
  (row ?? rows.find(({ usage }) => `parlance ${usage}`.startsWith(`${path} `))!).example

const lined = (lines: Line[], width: number): string =>
  lines
    .map(([term, about]) => `  ${term.padEnd(width)}  ${wrapped(about, WIDTH - width - 4, ' '.repeat(width + 4))}`)
    .join('\n')

/** Breaks a text between words. @param margin before each line except the first */
export function wrapped(text: string, width: number, margin: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join(`\n${margin}`)
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
