/** The changes of keys, as one list for people and for programs. */
import type { LeafName } from '../../bundle/message.ts'
import type { Bundle } from '../../bundle/resource.ts'
import type { Context } from '../context.ts'
import { asLine } from '../terminal/printable.ts'
import { cut, graphemesOf, widthOf } from '../terminal/width.ts'
import type { ComparedBundle } from './compare.ts'
import { type Texts, textsOf } from './merge.ts'

/** One key. */
export interface KeyChangeRow {
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
): KeyChangeRow[] {
  const { language, namespace, path } = file
  return Array.from(
    Map.groupBy(leaves, leaf => leaf.key),
    ([key, own]): KeyChangeRow => {
      const [old, young] = [from.tree.get(key), to.tree.get(key)]
      const result = old === undefined ? 'added' : young === undefined ? 'removed' : 'updated'
      const before = textsOf(own, leaf => old?.value(leaf))
      const after = textsOf(own, leaf => young?.value(leaf))
      return { language, namespace, path, key, result, before, after }
    },
  ).sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Lists rows by file, each with a heading of counts. */
export function listed(context: Context, rows: readonly KeyChangeRow[]): string {
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
export function counts(rows: readonly Pick<KeyChangeRow, 'result'>[], added = 0): string {
  const all = { added, updated: 0, removed: 0, skipped: 0 }
  for (const { result } of rows) all[result]++
  return Object.entries(all)
    .flatMap(([result, count]) => (count > 0 ? `${count} ${result}` : []))
    .join(', ')
}

function linesOf({ terminal }: Context, { result, reason, before, after }: KeyChangeRow): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const columns = Math.max(60, terminal.columns)
  return names.map(name => {
    // A key may have the name of an inherited property.
    const [old, text] = [before, after].map(texts => Object.hasOwn(texts, name) && JSON.stringify(texts[name]))
    const head = `  ${SIGNS[result]} ${asLine(name)}  `
    if (old && text && result !== 'skipped')
      return terminal.style(COLOURS[result], head + changeIn(old, text, Math.max(MIN_CHANGE, columns - widthOf(head))))
    const description = reason === undefined ? old || text : `${old || text} (${reason})`
    return terminal.style(COLOURS[result], cut(head + description, columns))
  })
}

/** Minimum columns of a changed text. The line of a long key is longer. */
const MIN_CHANGE = 44
/** Characters before the first difference. */
const CONTEXT = 8

/** Both texts within a width, from shortly before the first difference. */
function changeIn(old: string, text: string, width: number): string {
  const whole = `${old} → ${text}`
  if (widthOf(whole) <= width) return whole
  const [was, is] = [graphemesOf(old), graphemesOf(text)]
  const same = was.findIndex((sign, at) => sign !== is[at])
  const from = same > 2 * CONTEXT ? same - CONTEXT : 0
  const half = Math.floor((width - 3) / 2)
  const part = (signs: string[]) => cut(from > 0 ? `"…${signs.slice(from).join('')}` : signs.join(''), half)
  return `${part(was)} → ${part(is)}`
}
