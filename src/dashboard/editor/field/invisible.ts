/** Invisible or ambiguous characters: Unicode's white space, joiners and directions. */

/** An invisible character in a text, in code units. */
export interface Invisible {
  /** A `space` has a width and can be coloured, a `mark` has none and is shown beside the text. */
  is: 'space' | 'mark'
  /** Its short name in Unicode's charts; `SP` is an ordinary space that is easy to overlook. */
  name: string
  from: number
  to: number
}

const NAMES: Record<string, string> = {
  '\t': 'TAB',
  '\n': '↵',
  '\u00a0': 'NBSP',
  '\u00ad': 'SHY',
  '\u061c': 'ALM',
  '\u200b': 'ZWSP',
  '\u200c': 'ZWNJ',
  '\u200d': 'ZWJ',
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u202f': 'NNBSP',
  '\u2060': 'WJ',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
  '\u3000': 'IDSP',
  '\ufeff': 'BOM',
}

const WIDE = new Set(['\t', '\u00a0', '\u202f', '\u3000'])

/** Characters to insert that most keyboards lack. */
export const INSERTABLE = ['\u00a0', '\u202f', '\u200e', '\u200f', '\u200c', '\u200d', '\u00ad'] as const

/** The short name of a character of {@link INSERTABLE}. */
export const nameOfInvisible = (character: string): string => NAMES[character] ?? character

/** Spaces at an end of the text or of a line, or more than one together; else one character of {@link NAMES}. */
const INVISIBLE = /^ +| +$| {2,}|[\t\n\u00a0\u00ad\u061c\u200b-\u200f\u202a-\u202f\u2060\u2066-\u2069\u3000\ufeff]/gm

/** An emoji sequence: its joiner is part of it. */
const JOINED = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u

/** A text's, in their order. */
export function invisibleIn(text: string): Invisible[] {
  const found: Invisible[] = []
  for (const { 0: what, index } of text.matchAll(INVISIBLE)) {
    if (what === '\u200d' && JOINED.test(text.slice(Math.max(0, index - 2), index))) continue
    const isSpace = what.startsWith(' ') || WIDE.has(what)
    found.push({ is: isSpace ? 'space' : 'mark', name: NAMES[what] ?? 'SP', from: index, to: index + what.length })
  }
  return found
}
