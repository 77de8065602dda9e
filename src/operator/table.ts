/** Rows of text in columns, for people. */

/** The rows under their headings, each column as wide as its widest cell. */
export function inColumns(headings: string[], rows: string[][]): string {
  // A name may hold a line break, and must not pass for a row.
  const all = [headings, ...rows.map(row => row.map(cell => cell.replace(/[\r\n]/g, '\ufffd')))]
  const widths = headings.map((_, column) => Math.max(...all.map(row => row[column]!.length)))
  return all
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
