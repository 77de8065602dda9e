/** Parses the options of a command line. */
import type { Level, Option, OptionRow } from './command-table.ts'
import { nearest } from './nearest.ts'
import { type Problem, usage } from './problem.ts'

/** Given options and operands. A value is a text, a list of texts, true, or for `--no-…` false. */
export interface Given {
  values: Record<string, unknown>
  operands: string[]
}

/** The end of a sentence about a wrong word. */
export const see = ({ path }: Pick<Level, 'path'>): string => ` See ${path} --help.`

export function optionOf(row: OptionRow): Option {
  const [, short, long = '', value = ''] = /^(?:(-\w), )?(--[\w-]+)(?: (<.*>))?$/.exec(row.flags) ?? []
  const name = long.replace(/^--(no-)?/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { ...row, long, short, name, values: value === '' ? 'none' : value.endsWith('...>') ? 'many' : 'one' }
}

/** An option of each level. */
export const HELP: Option = optionOf({ flags: '-h, --help', about: 'print this help' })

const isOption = (word: string) => word.length > 1 && word.startsWith('-')

/**
 * Reads the options of a level.
 * @param early whether they end at the first word without a dash
 * @throws Problem (exit 2) with the wrong word
 */
export function readOptions(level: Level, words: readonly string[], early: boolean): Given {
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
function readOption(level: Level, word: string, left: string[], { values }: Given): void {
  const [, name = '', equals] = /^(--[^=]*)(?:=(.*))?$/s.exec(word) ?? [word, word.slice(0, 2)]
  const option = level.options.find(({ long, short }) => long === name || short === name)
  if (!option) throw unknown(level, name)
  if (option.values === 'none' && equals !== undefined) throw usage(`${name} has no value.${see(level)}`)
  const behind = name.startsWith('--') ? '' : word.slice(2)
  if (option.values === 'none') {
    values[option.name] = !option.long.startsWith('--no-')
    if (behind !== '') left.unshift(`-${behind}`)
    return
  }
  const value = equals ?? (behind || left.shift())
  if (value === undefined) throw usage(`Option '${option.flags}' argument missing.${see(level)}`)
  const all = [value]
  while (option.values === 'many' && left[0] !== undefined && !isOption(left[0])) all.push(left.shift()!)
  const words = option.commas ? value.split(',').map(word => word.trim()) : all
  const wrong = option.choices && words.find(one => !option.choices!.includes(one))
  if (wrong !== undefined) {
    const right = option.commas
      ? `any of ${option.choices!.join(', ')}, with commas`
      : option.choices!.join(', ').replace(/, (\w+)$/, ' or $1')
    throw usage(`${option.long} must be ${right}, not ${JSON.stringify(wrong)}.${see(level)}`)
  }
  if (option.commas) values[option.name] = [...new Set(words)]
  else values[option.name] = option.values === 'many' ? [...((values[option.name] as string[]) ?? []), ...all] : value
}

/** Adds defaults; for `--no-…` true. */
function complete(level: Level, { values }: Given): void {
  for (const { name, long, flags, needed, default: value } of level.options) {
    if (name in values) continue
    if (needed) throw usage(`Required option '${flags}' not specified.${see(level)}`)
    if (value !== undefined) values[name] = value
    else if (long.startsWith('--no-')) values[name] = true
  }
}

function unknown(level: Level, name: string): Problem {
  const all = (one: Level): string[] => [
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
