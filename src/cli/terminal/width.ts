/** Widths in columns of a terminal: CJK and emoji have two, combining marks and colours none. */
import fastStringWidth from 'fast-string-width'

export const widthOf = (text: string): number => fastStringWidth(text)

/** Fills with spaces up to a width in columns. */
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

let segmenter: Intl.Segmenter | undefined

export function graphemesOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Cuts a text without colours to a width, between graphemes, and ends it with `…`. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let [start, columns] = ['', 0]
  for (const grapheme of graphemesOf(text)) {
    columns += widthOf(grapheme)
    if (columns > width - 1) break
    start += grapheme
  }
  return `${start}…`
}
