/** The options of a command line, by the rows of the table. */
import { nearest } from './nearest.ts'
import { type Problem, usage } from './problem.ts'

/** An option as a row of the table has it. */
export interface OptionRow {
  /** `--message <text>`, `-n, --dry-run`; `<…>` takes a value, `<…...>` several. */
  flags: string
  about: string
  choices?: string[]
  needed?: true
  default?: string
}

/** An option, and how it is written. */
export interface Option extends OptionRow {
  /** `--dry-run`. */
  long: string
  /** `-n`. */
  short: string | undefined
  /** `dryRun`; of `--no-push` it is `push`. */
  name: string
  takes: 'nothing' | 'one' | 'many'
}

/** What was given: texts and lists of them, true, for `--no-…` false. */
export interface Given {
  values: Record<string, unknown>
  operands: string[]
}

/** Where options are read. */
export interface Place {
  /** `parlance release create`. */
  path: string
  options: Option[]
  below: ReadonlyMap<string, Place>
}

/** Where a sentence about a wrong word sends to. */
export const see = ({ path }: Pick<Place, 'path'>): string => ` See ${path} --help.`

export function optionOf(row: OptionRow): Option {
  const [, short, long = '', value = ''] = /^(?:(-\w), )?(--[\w-]+)(?: (<.*>))?$/.exec(row.flags) ?? []
  const name = long.replace(/^--(no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { ...row, long, short, name, takes: value === '' ? 'nothing' : value.endsWith('...>') ? 'many' : 'one' }
}

/** Which each level has. */
export const HELP: Option = optionOf({ flags: '-h, --help', about: 'print this help' })

const isOption = (word: string) => word.length > 1 && word.startsWith('-')

/**
 * Reads the options of a level.
 * @param early whether they end with the first word that is none
 * @throws Problem (exit 2) naming the wrong one
 */
export function readOptions(level: Place, words: readonly string[], early: boolean): Given {
  const given: Given = { values: {}, operands: [] }
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--' || (early && !isOption(word))) {
      given.operands.push(...(word === '--' ? left : [word, ...left]))
      break
    }
    if (isOption(word)) readOption(level, word, left, given)
    else given.operands.push(word)
    if (given.values.help) return given
  }
  if (!early) complete(level, given)
  return given
}

/** Reads `--name`, `--name value`, `--name=value`, `-n`, `-nvalue` or several of one letter, `-ny`. */
function readOption(level: Place, word: string, left: string[], { values }: Given): void {
  const [, name = '', equals] = /^(--[^=]*)(?:=(.*))?$/s.exec(word) ?? [word, word.slice(0, 2)]
  const option = level.options.find(({ long, short }) => long === name || short === name)
  if (!option) throw unknown(level, name)
  if (option.takes === 'nothing' && equals !== undefined) throw usage(`${name} takes no value.${see(level)}`)
  const behind = name.startsWith('--') ? '' : word.slice(2)
  if (option.takes === 'nothing') {
    values[option.name] = !option.long.startsWith('--no-')
    if (behind !== '') left.unshift(`-${behind}`)
    return
  }
  const value = equals ?? (behind || left.shift())
  if (value === undefined) throw usage(`Option '${option.flags}' argument missing.${see(level)}`)
  const all = [value]
  while (option.takes === 'many' && left[0] !== undefined && !isOption(left[0])) all.push(left.shift()!)
  const wrong = option.choices && all.find(one => !option.choices!.includes(one))
  if (wrong !== undefined) {
    const right = option.choices!.join(', ').replace(/, (\w+)$/, ' or $1')
    throw usage(`${option.long} must be ${right}, not ${JSON.stringify(wrong)}.${see(level)}`)
  }
  values[option.name] = option.takes === 'many' ? [...((values[option.name] as string[]) ?? []), ...all] : value
}

/** What was not given: a default, true where `--no-…` would say false. */
function complete(level: Place, { values }: Given): void {
  for (const { name, long, flags, needed, default: value } of level.options) {
    if (name in values) continue
    if (needed) throw usage(`Required option '${flags}' not specified.${see(level)}`)
    if (value !== undefined) values[name] = value
    else if (long.startsWith('--no-')) values[name] = true
  }
}

function unknown(level: Place, name: string): Problem {
  const all = (one: Place): string[] => [
    ...one.options.map(({ long }) => long),
    ...[...one.below.values()].flatMap(all),
  ]
  const meant = nearest(
    name,
    level.options.map(({ long }) => long),
  )
  const hint = meant ? ` Did you mean ${meant}?` : ''
  const later = all(level).includes(name) ? ' Options come after the command.' : ''
  return usage(`There is no such option: ${name}.${hint}${later}${see(level)}`)
}
