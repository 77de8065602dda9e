/** Formats rows, numbers and sizes. */
import { escaped } from './printable.ts'
import { padded, widthOf } from './width.ts'

/** Rows under their headings. Each column has the width of its widest cell. */
export function inColumns(headings: string[], rows: string[][]): string {
  // A line break in a name must not look like a new row.
  const all = [headings, ...rows.map(row => row.map(cell => cell.replace(/[\r\n]/g, escaped)))]
  const widths = headings.map((_, column) => Math.max(...all.map(row => widthOf(row[column]!))))
  const line = (row: string[]) => row.map((cell, column) => padded(cell, widths[column]!)).join('  ')
  return all.map(row => line(row).trimEnd()).join('\n')
}

/** `1 tag`, `2 tags`. */
export const counted = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`

/** Names for a sentence: `a, b and 3 more`. */
export function shortList(names: readonly string[], max = 10): string {
  const more = names.length > max ? ` and ${names.length - max} more` : ''
  return names.slice(0, max).join(', ') + more
}

/** Bytes in powers of 1024. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
