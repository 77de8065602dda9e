/** The changes of keys, as one list for people and for programs. */
import type { LeafName } from '../../bundle/message.ts'
import type { Bundle } from '../../bundle/resource.ts'
import type { Context } from '../context.ts'
import { asLine } from '../terminal/printable.ts'
import { cut } from '../terminal/width.ts'
import type { ComparedBundle } from './compare.ts'
import { type Texts, textsOf } from './merge.ts'

/** One key. */
export interface Row {
  language: string
  namespace: string
  /** Relative to the app's folder. */
  path: string
  key: string
  result: 'added' | 'updated' | 'removed' | 'skipped'
  /** Why a key was skipped. */
  reason?: string
  /** The texts of the changed leaves. */
  before: Texts
  after: Texts
}

/** Maximum rows of a list for people, for each file and in all. */
const MAX_LISTED = { file: 40, all: 400 }
const SIGNS = { added: '+', updated: '~', removed: '-', skipped: '=' } as const
const COLOURS = { added: 'green', updated: 'yellow', removed: 'red', skipped: 'dim' } as const

/** The changes of leaves from one bundle to another, by key. */
export function rowsOf(
  { file }: Pick<ComparedBundle, 'file'>,
  from: Bundle,
  to: Bundle,
  leaves: readonly LeafName[],
): Row[] {
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

/** Lists rows by file, each with a heading of counts. */
export function listed(context: Context, rows: readonly Row[]): string {
  const files = Map.groupBy(rows, ({ path, language, namespace }) => `${path} (${language}/${namespace})`)
  let left = MAX_LISTED.all
  return Array.from(files, ([name, own]) => {
    const listed = own.slice(0, Math.min(MAX_LISTED.file, left))
    left -= listed.length
    const more = listed.length > 0 && listed.length < own.length ? [`  … and ${own.length - listed.length} more`] : []
    return [`${name}: ${counts(own)}`, ...listed.flatMap(row => linesOf(context, row)), ...more].join('\n')
  }).join('\n')
}

/** `2 added, 1 updated`. @param added further additions without a row */
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
    // A key may have the name of an inherited property.
    const [old, text] = [before, after].map(texts => Object.hasOwn(texts, name) && JSON.stringify(texts[name]))
    const change = old && text && result !== 'skipped' ? `${old} → ${text}` : old || text
    const description = reason === undefined ? change : `${change} (${reason})`
    return terminal.style(
      COLOURS[result],
      cut(`  ${SIGNS[result]} ${asLine(name)}  ${description}`, Math.max(60, terminal.columns)),
    )
  })
}
