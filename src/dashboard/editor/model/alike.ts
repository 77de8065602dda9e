/** Keys with the same source text. */
import { folded } from './filter.ts'
import { textsOf } from './leaves.ts'
import { type EditorRow, idOf, type KeyRow } from './rows.ts'

/** By the keys of a source language as they were read: a save of a translation changes nothing here. */
const indexes = new WeakMap<readonly KeyRow[], Map<string, string[]>>()

/** Finds the other rows. The first call builds the index. */
export function alikeIn(
  source: readonly KeyRow[],
  rows: readonly EditorRow[],
): (row: EditorRow) => readonly EditorRow[] {
  return row => {
    if (row.source === undefined) return []
    let index = indexes.get(source)
    if (!index) {
      index = indexOf(source)
      indexes.set(source, index)
    }
    const ids = (index.get(saidBy(row.source)) ?? []).filter(id => id !== row.id)
    return ids.length === 0 ? [] : rows.filter(({ id }) => ids.includes(id))
  }
}

/** The texts of rows in a language (by number) for a leaf; translated rows first. */
export const firstTextsByMessage = (
  rows: readonly EditorRow[],
  target: number,
  ending: string,
): { row: EditorRow; text: string }[] =>
  rows
    .map(row => ({ row, text: textsOf(row.cells[target]!.message)[ending] ?? '' }))
    .sort((one, other) => Number(other.text !== '') - Number(one.text !== ''))

function indexOf(source: readonly KeyRow[]): Map<string, string[]> {
  const index = new Map<string, string[]>()
  for (const { namespace, key, message } of source) {
    const said = saidBy(message)
    const others = index.get(said)
    if (others) others.push(idOf(namespace, key))
    else index.set(said, [idOf(namespace, key)])
  }
  return index
}

const saidBy = (message: unknown) => folded(JSON.stringify(message))
