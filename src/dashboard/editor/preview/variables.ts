/** The variables of a text: names, and guessed values until the user enters others. */
import { NumberParser } from '@internationalized/number'
import { INTERPOLATION, type Interpolation, placedIn, placeholdersOf } from '../../../bundle/placeholders.ts'

/** A value that a text is filled with. */
export interface Variable {
  /** As the text has it: `count`, `user.name`. */
  name: string
  type: 'number' | 'date' | 'list' | 'text'
  /** A number as JavaScript writes it, a date in ISO 8601, a list with commas. */
  example: string
}

/** Texts that nest in each other go no deeper. */
const DEEPEST = 5
const FORMATS: Record<string, [Variable['type'], string]> = {
  number: ['number', '1234.5'],
  currency: ['number', '1234.5'],
  datetime: ['date', '2026-11-22T09:30'],
  relativetime: ['number', '-3'],
  list: ['list', 'Ann, Ben, Cem'],
}
const NAMES: [RegExp, Variable['type'], string][] = [
  [
    /^(count|n|num|number|total|amount|quantity|qty|size|max|min|limit|minutes?|hours?|days?|seconds?|years?)$/i,
    'number',
    '3',
  ],
  [/(count|total|number)$/i, 'number', '3'],
  [/percent/i, 'number', '42'],
  [/(price|cost|sum)$/i, 'text', '12.50'],
  [/e-?mail$/i, 'text', 'ann@example.com'],
  [/(url|link|href)$/i, 'text', 'https://example.com'],
  [/(date|day|deadline)$/i, 'text', '2026-11-22'],
  [/time$/i, 'text', '09:30'],
  [/(company|organi[sz]ation|team)(name)?$/i, 'text', 'Acme'],
  [/(file|document)(name)?$/i, 'text', 'report.pdf'],
  [/(city|place|country)$/i, 'text', 'Berlin'],
  [/(name|user|author|member|owner|who)$/i, 'text', 'Ann'],
]

/**
 * The variables of a text and of those that it nests, each once, as they come.
 * @param textOf of a nesting's key; undefined where there is none
 */
export function variablesOf(
  text: string,
  textOf: (name: string) => string | undefined = () => undefined,
  interpolation: Interpolation = INTERPOLATION,
): Variable[] {
  const found = new Map<string, Variable>()
  const { prefix, suffix } = interpolation
  const collect = (text: string, deepest: number): void => {
    for (const { placeholder, from, to } of placedIn(text, interpolation)) {
      if (placeholder.startsWith('{')) {
        const inside = text.slice(from + prefix.length, to - suffix.length).replace(/^-/, '')
        const [name = '', ...formats] = inside.split(',').map(part => part.trim())
        if (!found.has(name)) found.set(name, guess(name, formats.join(',')))
      } else if (placeholder.startsWith('$') && deepest > 0) {
        const nested = textOf(placeholder.slice('$t('.length, -1))
        if (nested !== undefined) collect(nested, deepest - 1)
      }
    }
  }
  collect(text, DEEPEST)
  return [...found.values()]
}

function guess(name: string, format: string): Variable {
  const byFormat = FORMATS[/^\w*/.exec(format)![0].toLowerCase()]
  if (byFormat) return { name, type: byFormat[0], example: byFormat[1] }
  const last = name.split('.').at(-1)!
  const known = NAMES.find(([pattern]) => pattern.test(last))
  return known ? { name, type: known[1], example: known[2] } : { name, type: 'text', example: last }
}

/** Whether a text has something to be filled in. */
export const isFilled = (text: string, interpolation?: Interpolation): boolean =>
  placeholdersOf(text, interpolation).some(one => !one.startsWith('<'))

/** A variable's example as one would type it: numbers are written in the reader's language. */
export function exampleIn(language: string, { type, example }: Variable): string {
  if (type !== 'number') return example
  return new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 20 }).format(Number(example))
}

/**
 * The value of a variable as i18next expects it; undefined for an invalid number or date.
 * @param language the reader's language for numbers, BCP 47
 */
export function valueFrom(type: Variable['type'], typed: string, language: string): unknown {
  if (type === 'text') return typed
  if (type === 'list') return typed.split(',').map(item => item.trim())
  const value = type === 'number' ? new NumberParser(language).parse(typed) : new Date(typed)
  return Number.isNaN(Number(value)) ? undefined : value
}

/** Values for i18next, by name: the typed value, or the example if that is missing or invalid. */
export function valuesOf(
  variables: readonly Variable[],
  typed: Readonly<Record<string, string>>,
  language: string,
): Record<string, unknown> {
  const values = variables.map(variable => {
    const { name, type } = variable
    const example = exampleIn(language, variable)
    return [name, valueFrom(type, typed[name] ?? example, language) ?? valueFrom(type, example, language)]
  })
  return Object.fromEntries(values)
}
