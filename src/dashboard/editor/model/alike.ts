/** Keys with the same source text. */
import { folded } from './filter.ts'
import { textsOf } from './leaves.ts'
import { type EditorRow, idOf, type KeyRow } from './rows.ts'
import { addRow, type RowIndex, rowsBySource } from './rows-by-source.ts'

const saidBy = (message: unknown) => folded(JSON.stringify(message))

const find = rowsBySource(source => {
  const index: RowIndex = new Map()
  for (const { namespace, key, message } of source) addRow(index, saidBy(message), idOf(namespace, key))
  return index
})

/** Finds the other rows. */
export const alikeIn =
  (source: readonly KeyRow[], rows: readonly EditorRow[]) =>
  (row: EditorRow): readonly EditorRow[] =>
    row.source === undefined ? [] : find(source, rows, saidBy(row.source), row.id)

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
