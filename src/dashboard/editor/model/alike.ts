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
  const groups = new Map<string, EditorRow[]>()
  for (const row of rows) {
    const text = textsOf(row.cells[target]!.message)[ending] ?? ''
    groups.set(text, [...(groups.get(text) ?? []), row])
  }
  return [...groups]
    .filter(([text]) => text === '' || fits(text))
    .map(([text, rows]) => ({ text, rows }))
    .sort((one, other) => Number(one.text === '') - Number(other.text === '') || other.rows.length - one.rows.length)
}

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
