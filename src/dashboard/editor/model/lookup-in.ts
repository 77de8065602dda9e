/** Finds the messages of rows by their names. */
import type { Lookup } from '../preview/preview-of.ts'
import { type Columns, type EditorRow, idOf } from './rows.ts'

/**
 * The first call builds the index.
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
