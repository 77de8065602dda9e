/** How many columns a text takes in a terminal: CJK and emoji take two, combining marks and colours none. */
import fastStringWidth from 'fast-string-width'

/** See the top of the file. */
export const widthOf = (text: string): number => fastStringWidth(text)

/** Fills with spaces up to a width in columns. */
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

let graphemes: Intl.Segmenter | undefined

/** Cuts to a width in columns at the border of a grapheme; what was cut shows as `…`. For text without colours. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  graphemes ??= new Intl.Segmenter()
  let [kept, columns] = ['', 0]
  for (const { segment } of graphemes.segment(text)) {
    columns += widthOf(segment)
    if (columns > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
