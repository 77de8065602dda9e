/** A word diff in a terminal. */
import type { Piece } from '../../bundle/word-diff.ts'
import { asLine } from './printable.ts'
import type { Style } from './style.ts'

/** In one line: with colours, or as `git diff --word-diff` marks it: `Pay [-now-]{+later+}`. */
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
