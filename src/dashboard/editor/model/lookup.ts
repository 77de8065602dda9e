/** Finds the messages of rows by their names. */
import type { Lookup } from '../preview/preview-of.ts'
import { type Columns, idOf, type Row } from './rows.ts'

/** The index is made when it is first asked. */
export function lookupIn(rows: readonly Row[], { source, targets }: Columns): Lookup {
  let index: Map<string, Row> | undefined
  return (language, namespace, key) => {
    index ??= new Map(rows.map(row => [row.id, row]))
    const row = index.get(idOf(namespace, key))
    return language === source ? row?.source : row?.cells[targets.indexOf(language)]?.message
  }
}
