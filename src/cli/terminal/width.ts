/** Widths in columns of a terminal: CJK and emoji have two, combining marks and colours none. */
import fastStringWidth from 'fast-string-width'

export const widthOf = (text: string): number => fastStringWidth(text)

/** Fills with spaces up to a width in columns. */
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

let graphemes: Intl.Segmenter | undefined

/** Cuts a text without colours to a width, between graphemes, and ends it with `…`. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  graphemes ??= new Intl.Segmenter()
  let [start, columns] = ['', 0]
  for (const { segment } of graphemes.segment(text)) {
    columns += widthOf(segment)
    if (columns > width - 1) break
    start += segment
  }
  return `${start}…`
}
