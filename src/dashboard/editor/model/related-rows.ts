/** Finds rows by what the source says of them, and messages by their names. */
import { linesOf, type Message, partsOf } from '../../../bundle/message.ts'
import { kindOf, placeholdersOf } from '../../../bundle/placeholders.ts'
import type { Lookup } from '../preview/preview-of.ts'
import { folded } from './filter.ts'
import { textsOf } from './leaves.ts'
import { type Columns, type EditorRow, idOf, type KeyRow } from './rows.ts'

/**
 * The index is built by the first search among the keys of a source language as they were read: a save of a translation
 * changes nothing in it.
 * @param namesOf the names of a key in the index
 */
function rowsBySource(namesOf: (key: KeyRow) => readonly string[]) {
  const indexes = new WeakMap<readonly KeyRow[], Map<string, Set<string>>>()
  return (source: readonly KeyRow[], rows: readonly EditorRow[], name: string) => {
    const index = indexes.get(source) ?? new Map<string, Set<string>>()
    if (!indexes.has(source)) {
      indexes.set(source, index)
      for (const key of source) {
        const id = idOf(key.namespace, key.key)
        for (const name of namesOf(key)) index.set(name, (index.get(name) ?? new Set()).add(id))
      }
    }
    const ids = index.get(name)
    return ids ? rows.filter(({ id }) => ids.has(id)) : []
  }
}

const saidBy = (message: unknown) => folded(JSON.stringify(message))
const findAlike = rowsBySource(({ message }) => [saidBy(message)])

/** Finds the other rows with the same source text. */
export const alikeIn =
  (source: readonly KeyRow[], rows: readonly EditorRow[]) =>
  (row: EditorRow): readonly EditorRow[] =>
    row.source === undefined ? [] : findAlike(source, rows, saidBy(row.source)).filter(({ id }) => id !== row.id)

/** A key that a text nests, in its namespace or by a full name: `$t(name)`. */
const findUses = rowsBySource(({ namespace, message }) => {
  const placeholders = linesOf(partsOf(message as Message)).flatMap(([, text]) => placeholdersOf(text))
  const names = placeholders.filter(one => kindOf(one) === 'nesting').map(one => one.slice('$t('.length, -1))
  return names.flatMap(name => {
    const colon = name.indexOf(':')
    const full = colon > 0 ? [idOf(name.slice(0, colon), name.slice(colon + 1))] : []
    return [idOf(namespace, name), ...full]
  })
})

/** Finds the rows with a source that nests a row's key. */
export const usesIn =
  (source: readonly KeyRow[], rows: readonly EditorRow[]) =>
  (row: EditorRow): readonly EditorRow[] =>
    findUses(source, rows, row.id)

/** The translations of other keys with the same source, each once. */
export interface SameText {
  /** Empty for keys without a translation. */
  text: string
  rows: EditorRow[]
}

/**
 * The texts of rows in a language (by number) for a leaf: the most frequent first, missing ones last.
 * @param fits whether a text may stand there: texts with other placeholders are left out
 */
export function sameTexts(
  rows: readonly EditorRow[],
  target: number,
  ending: string,
  fits: (text: string) => boolean,
): SameText[] {
  return [...Map.groupBy(rows, row => textsOf(row.cells[target]!.message)[ending] ?? '')]
    .filter(([text]) => text === '' || fits(text))
    .map(([text, rows]) => ({ text, rows }))
    .sort((one, other) => Number(one.text === '') - Number(other.text === '') || other.rows.length - one.rows.length)
}

/**
 * Finds messages by their names. The first call builds the index.
 * @param elsewhere finds those of other namespaces than that of the rows; absent where they are of all
 */
export function lookupIn(rows: readonly EditorRow[], { source, targets }: Columns, elsewhere?: Lookup): Lookup {
  let index: Map<string, EditorRow> | undefined
  return (language, namespace, key) => {
    index ??= new Map(rows.map(row => [row.id, row]))
    const row = index.get(idOf(namespace, key))
    if (!row && elsewhere && namespace !== rows[0]?.namespace) return elsewhere(language, namespace, key)
    return language === source ? row?.source : row?.cells[targets.indexOf(language)]?.message
  }
}
