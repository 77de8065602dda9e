/** What happens to keys, told key by key: one list for people and for programs. */
import type { LeafName } from '../../bundle/message.ts'
import type { Bundle } from '../../bundle/resource.ts'
import type { Context } from '../context.ts'
import { cut } from '../terminal/width.ts'
import type { Compared } from './compare.ts'
import { type Texts, textOf, textsOf } from './merge.ts'

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

/** Rows of a file that a list for people has, before it counts. */
const MOST_TOLD = 40
const SIGNS = { added: '+', updated: '~', removed: '-', skipped: '=' } as const
const COLOURS = { added: 'green', updated: 'yellow', removed: 'red', skipped: 'dim' } as const

/** The changes of some leaves, from one bundle to another, by key. */
export function rowsOf({ file }: Pick<Compared, 'file'>, from: Bundle, to: Bundle, leaves: readonly LeafName[]): Row[] {
  const { language, namespace, path } = file
  return Array.from(
    Map.groupBy(leaves, leaf => leaf.key),
    ([key, own]): Row => {
      const [before, after] = [from, to].map(bundle => textsOf(own, leaf => textOf(bundle, leaf))) as [Texts, Texts]
      const result = from.tree.get(key) === undefined ? 'added' : to.tree.get(key) === undefined ? 'removed' : 'updated'
      return { language, namespace, path, key, result, before, after }
    },
  ).sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** The rows file by file, with a heading that counts. */
export function listed(context: Context, rows: readonly Row[]): string {
  const files = Map.groupBy(rows, ({ path, language, namespace }) => `${path} (${language}/${namespace})`)
  return Array.from(files, ([name, own]) => {
    const more = own.length - MOST_TOLD
    const lines = own.slice(0, MOST_TOLD).flatMap(row => linesOf(context, row))
    return [`${name}: ${counts(own)}`, ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n')
  }).join('\n')
}

/** `2 added, 1 updated`. */
export function counts(rows: readonly Pick<Row, 'result'>[]): string {
  const all = Map.groupBy(rows, ({ result }) => result)
  const results = ['added', 'updated', 'removed', 'skipped'] as const
  return results.flatMap(result => (all.has(result) ? `${all.get(result)!.length} ${result}` : [])).join(', ')
}

function linesOf({ terminal }: Context, { result, reason, before, after }: Row): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.map(name => {
    const [old, text] = [before[name], after[name]].map(text => text !== undefined && JSON.stringify(text))
    const change = old && text && result !== 'skipped' ? `${old} → ${text}` : old || text
    const told = reason === undefined ? change : `${change} (${reason})`
    return terminal.style(COLOURS[result], cut(`  ${SIGNS[result]} ${name}  ${told}`, Math.max(60, terminal.columns)))
  })
}
