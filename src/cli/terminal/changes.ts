/** Displays changed keys, with the changed words. */
import type { BundleChange } from '../../bundle/diff.ts'
import { changedTexts, linesOf, type Message, partsOf } from '../../bundle/message.ts'
import { type Piece, wordDiff } from '../../bundle/word-diff.ts'
import { asLine, type Style } from './printable.ts'
import { counted } from './table.ts'
import { padded, widthOf } from './width.ts'

/** Maximum columns that keys are padded to. */
const KEY_WIDTH = 32

/** By bundle: `+` added, `-` removed, `~` changed. Without a line break at the end; empty without changes. */
export function showChanges(changes: readonly BundleChange[], style: Style): string {
  const bundles = Map.groupBy(changes, ({ language, namespace }) => `${language}/${namespace}`)
  return [...bundles].map(([name, rows]) => [style('bold', name), ...rowsOf(rows, style)].join('\n')).join('\n')
}

function rowsOf(rows: readonly BundleChange[], style: Style): string[] {
  const width = Math.min(KEY_WIDTH, Math.max(...rows.map(({ key }) => widthOf(asLine(key)))))
  return rows.flatMap(({ language, key, before, after }) => {
    const sign = before === null ? style('green', '+') : after === null ? style('red', '-') : style('yellow', '~')
    const name = padded(asLine(key), width)
    const lines = showMessages(before, after, style, language)
    if (lines.length === 1 && lines[0]![0] === '') return [`  ${sign} ${name}  ${lines[0]![1]}`.trimEnd()]
    return [`  ${sign} ${asLine(key)}`, ...indented(lines, '      ')]
  })
}

/** Lines of forms and their names. */
export function indented(lines: readonly (readonly [form: string, text: string])[], margin: string): string[] {
  const width = Math.max(...lines.map(([form]) => widthOf(form)))
  return lines.map(([form, text]) => `${margin}${width === 0 ? '' : `${padded(form, width)}  `}${text}`.trimEnd())
}

/**
 * The texts and forms of a message that differ, each with its form's name (`few`, `ordinal_few`; nothing for a text)
 * and what changed. Of a message that came or went these are all.
 * @param language of the texts
 */
export function showMessages(
  before: Message | null,
  after: Message | null,
  style: Style,
  language?: string,
): [form: string, text: string][] {
  return changedTexts(before, after).map(({ ending, before: was, after: is }) => {
    if (before === null || after === null) return [ending.slice(1), shownText((is ?? was)!)]
    return [ending.slice(1), showPieces(wordDiff(was ?? '', is ?? '', language), style) || '""']
  })
}

/** A word diff in one line: with colours, or as `git diff --word-diff` marks it: `Pay [-now-]{+later+}`. */
export function showPieces(pieces: readonly Piece[], style: Style): string {
  const show = { same: (text: string) => text, removed: marker(style, 'removed'), added: marker(style, 'added') }
  return pieces.map(({ is, text }) => show[is](asLine(text))).join('')
}

/** Marks what was removed or added; without colours by brackets. */
function marker(style: Style, is: 'removed' | 'added'): (text: string) => string {
  const format = is === 'removed' ? (['red', 'strikethrough'] as const) : ('green' as const)
  return text => {
    const coloured = style(format as Parameters<Style>[0], text)
    if (coloured !== text) return coloured
    return is === 'removed' ? `[-${text}-]` : `{+${text}+}`
  }
}

/** The texts of a message with the names of their forms. */
export const showMessage = (message: Message | null): [form: string, text: string][] =>
  linesOf(partsOf(message)).map(([ending, text]) => [ending.slice(1), shownText(text)])

const shownText = (text: string): string => (text === '' ? '""' : asLine(text))

/** `2 keys: 1 added, 1 updated`; `no key`. */
export function countsText(counts: { added: number; updated: number; removed: number }): string {
  const all = counts.added + counts.updated + counts.removed
  const parts = (['added', 'updated', 'removed'] as const).filter(name => counts[name] > 0)
  return all === 0 ? 'no key' : `${counted(all, 'key')}: ${parts.map(name => `${counts[name]} ${name}`).join(', ')}`
}

/**
 * A line with the commands that undo revisions.
 * @param revisions oldest first; undefined if the server does not send it
 */
export function undoHint(...revisions: (string | null | undefined)[]): string {
  const undo = undosOf(revisions.filter(revision => typeof revision === 'string'))
  return undo.length === 0 ? '' : `\nTo undo it: ${undo.map(line => `\`${line}\``).join(', then ')}`
}

/** The commands that undo revisions, newest first. A server without git knows whole ids only. */
export const undosOf = (revisions: readonly string[]): string[] =>
  revisions.toReversed().map(revision => `parlance undo ${revision}`)
