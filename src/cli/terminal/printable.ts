/** Colours our own text, and escapes control characters of all other: keys, texts and names come from other people. */
import { styleText } from 'node:util'

/** `style('red', 'text')`: the names are those of `util.styleText`. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string

/** Control characters, and those that reorder or break lines (Unicode's Bidi_Control, U+2028, U+2029). */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069'
const IN_TEXT = new RegExp(`(?!\n)[${CONTROLS}]`, 'g')
/** The random end of our own colour codes, which other texts cannot know. Widths allow up to 4 digits. */
const OWN = Array.from({ length: 3 }, () => 1000 + Math.floor(Math.random() * 9000)).join(';')
const IN_COLOURS = new RegExp(`(\\x1b\\[[\\d;]*);${OWN}m|(?![\\t\\n])[${CONTROLS}]`, 'g')

/**
 * Escapes characters that colour, move the cursor, reorder text or rename the window, as in JSON: `\u202e`. JSON stays
 * the same document.
 */
export function printable(text: string): string {
  return text.replace(IN_TEXT, escaped)
}

/** Colours by `NO_COLOR`, `FORCE_COLOR` and the kind of the stream. */
export const makeStyle =
  (stream: NodeJS.WriteStream): Style =>
  (format, text) =>
    asOwn(styleText(format, text, { stream }))

/** Marks the colours of a text as ours. */
export const asOwn = (text: string): string => text.replace(/(\x1b\[[\d;]*)m/g, `$1;${OWN}m`)

/** As {@link printable}, for text that has tabs, and colours that are marked as ours. */
export function coloured(text: string): string {
  return text.replace(IN_COLOURS, (part, own?: string) => (own === undefined ? escaped(part) : `${own}m`))
}

export const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A key or text in one line, with `⏎` for a line break. */
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
