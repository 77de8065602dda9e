/** Finds rows by what the source says of them. */
import type { EditorRow, KeyRow } from './rows.ts'

/** The ids of rows by a name. */
export type RowIndex = Map<string, Set<string>>

/** Adds a row under a name. */
export function addRow(index: RowIndex, name: string, id: string): void {
  const ids = index.get(name)
  if (ids) ids.add(id)
  else index.set(name, new Set([id]))
}

/** @returns the rows under a name but one */
type FindRows = (
  source: readonly KeyRow[],
  rows: readonly EditorRow[],
  name: string,
  except?: string,
) => readonly EditorRow[]

/**
 * The index is built by the first search among the keys of a source language as they were read: a save of a translation
 * changes nothing in it.
 */
export function rowsBySource(indexOf: (source: readonly KeyRow[]) => RowIndex): FindRows {
  const indexes = new WeakMap<readonly KeyRow[], RowIndex>()
  return (source, rows, name, except) => {
    let index = indexes.get(source)
    if (!index) {
      index = indexOf(source)
      indexes.set(source, index)
    }
    const ids = index.get(name)
    if (!ids || (ids.size === 1 && except !== undefined && ids.has(except))) return []
    return rows.filter(({ id }) => ids.has(id) && id !== except)
  }
}
