/** The lines of the grid: rows, and in the tree what they stand under. */
import { type EditorRow, idOf } from './rows.ts'

/** `name` is the part of the key that the headings above do not show. */
export interface RowItem {
  kind: 'row'
  id: string
  row: EditorRow
  depth: number
  name: string
}

/** The heading of a namespace, or of the keys that begin alike. */
export interface GroupItem {
  kind: 'group'
  id: string
  name: string
  depth: number
  /** Rows below it. */
  count: number
  isOpen: boolean
}

export type Item = RowItem | GroupItem

/** An item that is the same object as before does not rerender. Each save creates a list with one changed row. */
const known = new WeakMap<EditorRow, RowItem>()

function lineOf(row: EditorRow, depth: number, name: string): RowItem {
  const before = known.get(row)
  if (before?.depth === depth && before.name === name) return before
  const line: RowItem = { kind: 'row', id: row.id, row, depth, name }
  known.set(row, line)
  return line
}

export const flat = (rows: readonly EditorRow[]): Item[] => rows.map(row => lineOf(row, 0, row.key))

interface Branch {
  id: string
  name: string
  depth: number
  /** In the order of their first row. */
  branches: Map<string, Branch>
  entries: (Branch | EditorRow)[]
  count: number
}

/**
 * Rows under the segments of their keys (`nav.home` under `nav`). A single row under a segment has no heading.
 * @param closed ids of collapsed headings @param namespaces whether each has a heading
 */
export function tree(rows: readonly EditorRow[], closed: ReadonlySet<string>, namespaces: boolean): Item[] {
  const root: Branch = { id: '', name: '', depth: 0, branches: new Map(), entries: [], count: 0 }
  for (const row of rows) {
    const segments = row.key.split('.')
    let here = namespaces ? into(root, row.namespace, row.namespace) : root
    here.count++
    let path = ''
    for (const segment of segments.slice(0, -1)) {
      path += `${segment}.`
      here = into(here, segment, idOf(row.namespace, path))
      here.count++
    }
    here.entries.push(row)
  }
  const items: Item[] = []
  const list = ({ entries }: Branch, depth: number, said: string) => {
    for (const entry of entries) {
      if (!('branches' in entry)) {
        items.push(lineOf(entry, depth, entry.key.slice(said.length)))
        continue
      }
      const { id, name, count } = entry
      const prefix = namespaces && entry.depth === 1 ? '' : `${said}${name}.`
      const isOpen = !closed.has(id)
      if (count === 1 && prefix !== '') list(entry, depth, said)
      else {
        items.push({ kind: 'group', id, name, depth, count, isOpen })
        if (isOpen) list(entry, depth + 1, prefix)
      }
    }
  }
  list(root, 0, '')
  return items
}

function into({ branches, entries, depth }: Branch, name: string, id: string): Branch {
  const known = branches.get(id)
  if (known) return known
  const added: Branch = { id, name, depth: depth + 1, branches: new Map(), entries: [], count: 0 }
  branches.set(id, added)
  entries.push(added)
  return added
}
