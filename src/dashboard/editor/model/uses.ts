/** Keys with a text that nests another key: `$t(name)`. */
import { linesOf, partsOf } from '../../../bundle/message.ts'
import { kindOf, placeholdersOf } from '../../../bundle/placeholders.ts'
import { type EditorRow, idOf, type KeyRow } from './rows.ts'
import { addRow, type RowIndex, rowsBySource } from './rows-by-source.ts'

const find = rowsBySource(source => {
  const index: RowIndex = new Map()
  for (const { namespace, key, message } of source) {
    for (const [, text] of linesOf(partsOf(message as EditorRow['source']))) {
      for (const placeholder of placeholdersOf(text)) {
        if (kindOf(placeholder) !== 'nesting') continue
        const by = idOf(namespace, key)
        const name = placeholder.slice('$t('.length, -1)
        const colon = name.indexOf(':')
        addRow(index, idOf(namespace, name), by)
        if (colon > 0) addRow(index, idOf(name.slice(0, colon), name.slice(colon + 1)), by)
      }
    }
  }
  return index
})

/** Finds the rows with a source that nests a row's key. */
export const usesIn =
  (source: readonly KeyRow[], rows: readonly EditorRow[]) =>
  (row: EditorRow): readonly EditorRow[] =>
    find(source, rows, row.id)
