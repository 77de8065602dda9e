/** What may go to a terminal: colours, and nothing else that a terminal would obey. */

/** Keys, texts and names come from others: what would move the cursor or rename the window shows as U+FFFD. */
export function printable(text: string): string {
  return text.replace(/(\x1b\[[\d;]*m)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (_, colour) => colour ?? '\ufffd')
}

/** A text in one line, with line breaks shown as `⏎`. */
export const oneLine = (text: string): string => printable(text.replace(/\r?\n|\r/g, '⏎').replaceAll('\t', ' '))
