/** What may go to a terminal: keys, texts and names come from others, and a terminal obeys some of what it is sent. */

/** Control characters, and those that reorder or break what a terminal shows (Unicode's Bidi_Control, U+2028, U+2029). */
const OBEYED = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069'
const IN_TEXT = new RegExp(`(?!\n)[${OBEYED}]`, 'g')
const IN_COLOURS = new RegExp(`\\x1b\\[[\\d;]*m|\\t|[${OBEYED}]`, 'g')

/** What would colour, move the cursor, reorder text or rename the window shows as U+FFFD. */
export function printable(text: string): string {
  return text.replace(IN_TEXT, '\ufffd')
}

/** As {@link printable}, for text that has colours and tabs of our own. */
export function coloured(text: string): string {
  return text.replace(IN_COLOURS, part => (part === '\n' || part === '\t' || part.length > 1 ? part : '\ufffd'))
}

/** A key or text of a bundle in one line: a line break shows as `⏎`, and nothing of it is lost. */
export function asLine(text: string): string {
  return printable(text.replace(/\r\n?|\n/g, '⏎').replaceAll('\t', ' '))
}

/** One line for a person, without secrets. */
export function oneLine(text: string): string {
  return withoutSecrets(printable(text.trim().replace(/\s*\n\s*/g, ' ')))
}

/** Hides what stands before the `@` of an address (`https://user:token@host/`); our own examples stay. */
export function withoutSecrets(text: string): string {
  return text.replace(/(\w:\/\/)(?!user@host\/|x:<token>@host\/)[^\s/]*@/g, '$1***@')
}
