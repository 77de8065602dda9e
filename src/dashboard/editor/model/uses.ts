/** Keys with a text that nests another key: `$t(name)`. */
import { linesOf, partsOf } from '../../../bundle/message.ts'
import { type EditorRow, idOf, type KeyRow } from './rows.ts'

const NESTED = /\$t\(\s*([^(),]+?)\s*(?:,[^)]*)?\)/g

/** By the keys of a source language as they were read: ids of the keys that nest the key of an id. */
const indexes = new WeakMap<readonly KeyRow[], Map<string, string[]>>()

/** Finds the rows with a source that nests a row's key. The first call builds the index. */
export function usesIn(
  source: readonly KeyRow[],
  rows: readonly EditorRow[],
): (row: EditorRow) => readonly EditorRow[] {
  return row => {
    let index = indexes.get(source)
    if (!index) {
      index = indexOf(source)
      indexes.set(source, index)
    }
    const ids = index.get(row.id)
    return ids === undefined ? [] : rows.filter(({ id }) => ids.includes(id))
  }
}

function indexOf(source: readonly KeyRow[]): Map<string, string[]> {
  const index = new Map<string, string[]>()
  const add = (id: string, by: string) => {
    const others = index.get(id)
    if (!others) index.set(id, [by])
    else if (!others.includes(by)) others.push(by)
  }
  for (const { namespace, key, message } of source) {
    for (const [, text] of linesOf(partsOf(message as EditorRow['source']))) {
      if (!text.includes('$t(')) continue
      const by = idOf(namespace, key)
      for (const [, name] of text.matchAll(NESTED)) {
        const colon = name!.indexOf(':')
        add(idOf(namespace, name!), by)
        if (colon > 0) add(idOf(name!.slice(0, colon), name!.slice(colon + 1)), by)
      }
    }
  }
  return index
}
