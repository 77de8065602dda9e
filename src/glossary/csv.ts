/** Glossaries as CSV (RFC 4180): one line a term, and for each language a column `de` and a column `de avoid`. */
import { Failure } from '../bundle/errors.ts'
import { sameIgnoringCase } from '../bundle/names.ts'
import type { Glossary, TermWords } from './glossary.ts'

const OWN = ['term', 'note', 'caseSensitive', 'keep'] as const
const AVOID = ' avoid'

/** Alternatives in a cell are parted by `|`; `\|` is one that belongs to a word. */
const joinWords = (words: readonly string[] = []): string => words.map(one => one.replace(/[\\|]/g, '\\$&')).join('|')

const splitWords = (cell: string): string[] =>
  (cell.match(/(?:\\[\s\S]|[^|\\]|\\$)+/g) ?? [])
    .map(one => one.replace(/\\([\\|])/g, '$1').trim())
    .filter(one => one !== '')

/** Spreadsheets run a cell that begins so, unless an apostrophe precedes it. {@link readCsv} removes that. */
const FORMULA = /^'*[=+\-@\t\r]/

const cellOf = (value: string): string => {
  const safe = FORMULA.test(value) ? `'${value}` : value
  return /[",;|\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function writeCsv(terms: Glossary): string {
  const languages = [...new Set(terms.flatMap(({ translations = {} }) => Object.keys(translations)))].sort()
  const hasAvoid = (language: string) => terms.some(one => one.translations?.[language]?.avoid)
  const columns = languages.flatMap(one => (hasAvoid(one) ? [one, one + AVOID] : [one]))
  const rows = terms.map(({ term, note = '', caseSensitive, keep, translations = {} }) => {
    const flags = [caseSensitive, keep].map(flag => (flag ? 'true' : ''))
    const words = columns.map(column => {
      const [language, kind] = columnOf(column)
      return joinWords(Object.hasOwn(translations, language) ? translations[language]![kind] : [])
    })
    return [term, note, ...flags, ...words]
  })
  return [[...OWN, ...columns], ...rows].map(row => `${row.map(cellOf).join(',')}\r\n`).join('')
}

const columnOf = (name: string): [language: string, kind: 'use' | 'avoid'] =>
  name.endsWith(AVOID) ? [name.slice(0, -AVOID.length), 'avoid'] : [name, 'use']

/** A column's name as we write it: others write `Term`, and `pt_BR` for `pt-BR`. */
const nameOf = (cell: string): string => {
  const name = cell.trim().replace(/ {1,4}avoid$/i, AVOID)
  return OWN.find(one => sameIgnoringCase(one, name)) ?? name.replaceAll('_', '-')
}

/**
 * Terms to check. The separator is that of a line `sep=;`, which Excel reads, or the first in the first line.
 * @throws Failure `unfit` naming the line
 */
export function readCsv(text: string): object[] {
  const body = text.replace(/^\ufeff/, '')
  const declared = /^sep=([,;\t])\r?\n/i.exec(body)
  const separator = declared?.[1] ?? /^[^\r\n]*?([,;\t])/.exec(body)?.[1] ?? ','
  const [head, ...rows] = rowsOf(body.slice(declared?.[0].length ?? 0), separator, declared ? 2 : 1)
  const names = withoutEmptyEnd(head?.cells ?? []).map(nameOf)
  if (!names.includes('term'))
    throw unfit(head?.line ?? 1, `the first line names the columns, and one of them must be "term"`)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw unfit(1, `two columns are called ${JSON.stringify(twice)}`)
  return rows.map(({ cells: all, line }) => {
    const cells = withoutEmptyEnd(all)
    if (cells.length > names.length) throw unfit(line, `${cells.length} cells for ${names.length} columns`)
    const translations = new Map<string, TermWords>()
    const term: Record<string, unknown> = {}
    for (const [at, cell] of cells.entries()) {
      const name = names[at]!
      if (cell.trim() === '') continue
      if (name === 'caseSensitive' || name === 'keep') term[name] = flagOf(cell, name, line)
      else if (name === 'term' || name === 'note') term[name] = cell
      else {
        const [language, kind] = columnOf(name)
        translations.set(language, { ...translations.get(language), [kind]: splitWords(cell) })
      }
    }
    if (term.term === undefined) throw unfit(line, 'the column "term" is empty')
    return { ...term, translations: Object.fromEntries(translations) }
  })
}

/** Spreadsheets fill rows to the width of the sheet. */
const withoutEmptyEnd = (cells: readonly string[]): string[] =>
  cells.slice(0, cells.findLastIndex(cell => cell.trim() !== '') + 1)

/** Spreadsheets write `true` and `false` in the language of their user. */
const YES = /^(?:true|yes|1|wahr|vrai|verdadero|verdadeiro|vero|waar|prawda|pravda|tosi|sant|sand|sann|doğru|истина)$/
const NO = /^(?:false|no|0|falsch|faux|falso|onwaar|fałsz|nepravda|epätosi|falskt|falsk|usann|yanlış|ложь)$/

function flagOf(cell: string, name: string, line: number): boolean {
  const word = cell.trim().toLowerCase()
  if (YES.test(word)) return true
  if (NO.test(word)) return false
  throw unfit(line, `"${name}" must be true or false`)
}

interface CsvRow {
  cells: string[]
  /** Where it begins, from 1. */
  line: number
}

function rowsOf(text: string, separator: string, from: number): CsvRow[] {
  const rows: CsvRow[] = []
  let [at, line] = [0, from]
  while (at < text.length) {
    const row: CsvRow = { cells: [], line }
    for (;;) {
      let cell: string
      if (text[at] === '"') {
        let end = at
        do {
          end = text.indexOf('"', end + 1)
          if (end === -1) throw unfit(line, 'a quote does not end')
        } while (text[end + 1] === '"' && ++end)
        cell = text.slice(at + 1, end).replaceAll('""', '"')
        line += cell.split('\n').length - 1
        at = end + 1
        if (at < text.length && !`${separator}\r\n`.includes(text[at]!))
          throw unfit(line, 'text follows a closing quote')
      } else {
        const begin = at
        while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at++
        cell = text.slice(begin, at)
      }
      row.cells.push(FORMULA.test(cell) && cell.startsWith("'") ? cell.slice(1) : cell)
      if (text[at] !== separator) break
      at++
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    line++
    if (row.cells.some(cell => cell.trim() !== '')) rows.push(row)
  }
  return rows
}

const unfit = (line: number, fault: string) => new Failure('unfit', `Line ${line} of the CSV: ${fault}.`)
