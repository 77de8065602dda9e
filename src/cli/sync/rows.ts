/** What happens to keys, told key by key: one list for people and for programs. */
import type { LeafName } from '../../bundle/message.ts'
import type { Bundle } from '../../bundle/resource.ts'
import type { Context } from '../context.ts'
import { asLine } from '../terminal/printable.ts'
import { cut } from '../terminal/width.ts'
import type { Compared } from './compare.ts'
import { type Texts, textsOf } from './merge.ts'

/** One key. */
export interface Row {
  language: string
  namespace: string
  /** Relative to the app's folder. */
  path: string
  key: string
  result: 'added' | 'updated' | 'removed' | 'skipped'
  /** Why it is left alone. */
  reason?: string
  /** Of the leaves that are concerned. */
  before: Texts
  after: Texts
}

/** Rows that a list for people has, of a file and of all, before it counts. */
const MOST_TOLD = { file: 40, all: 400 }
const SIGNS = { added: '+', updated: '~', removed: '-', skipped: '=' } as const
const COLOURS = { added: 'green', updated: 'yellow', removed: 'red', skipped: 'dim' } as const

/** The changes of some leaves, from one bundle to another, by key. */
export function rowsOf({ file }: Pick<Compared, 'file'>, from: Bundle, to: Bundle, leaves: readonly LeafName[]): Row[] {
  const { language, namespace, path } = file
  return Array.from(
    Map.groupBy(leaves, leaf => leaf.key),
    ([key, own]): Row => {
      const [old, young] = [from.tree.get(key), to.tree.get(key)]
      const result = old === undefined ? 'added' : young === undefined ? 'removed' : 'updated'
      const before = textsOf(own, leaf => old?.value(leaf))
      const after = textsOf(own, leaf => young?.value(leaf))
      return { language, namespace, path, key, result, before, after }
    },
  ).sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** The rows file by file, with a heading that counts. */
export function listed(context: Context, rows: readonly Row[]): string {
  const files = Map.groupBy(rows, ({ path, language, namespace }) => `${path} (${language}/${namespace})`)
  let left = MOST_TOLD.all
  return Array.from(files, ([name, own]) => {
    const told = own.slice(0, Math.min(MOST_TOLD.file, left))
    left -= told.length
    const more = told.length > 0 && told.length < own.length ? [`  … and ${own.length - told.length} more`] : []
    return [`${name}: ${counts(own)}`, ...told.flatMap(row => linesOf(context, row)), ...more].join('\n')
  }).join('\n')
}

/** `2 added, 1 updated`. @param added beside those of the rows */
export function counts(rows: readonly Pick<Row, 'result'>[], added = 0): string {
  const all = { added, updated: 0, removed: 0, skipped: 0 }
  for (const { result } of rows) all[result]++
  return Object.entries(all)
    .flatMap(([result, count]) => (count > 0 ? `${count} ${result}` : []))
    .join(', ')
}

function linesOf({ terminal }: Context, { result, reason, before, after }: Row): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.map(name => {
    // A key may be named as what objects inherit.
    const [old, text] = [before, after].map(texts => Object.hasOwn(texts, name) && JSON.stringify(texts[name]))
    const change = old && text && result !== 'skipped' ? `${old} → ${text}` : old || text
    const told = reason === undefined ? change : `${change} (${reason})`
    return terminal.style(
      COLOURS[result],
      cut(`  ${SIGNS[result]} ${asLine(name)}  ${told}`, Math.max(60, terminal.columns)),
    )
  })
}
