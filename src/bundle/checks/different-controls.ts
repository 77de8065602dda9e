/** Invisible characters that a translation should not have: copy and paste leaves them behind. */
import { scriptOf } from './script-of.ts'
import type { TextDifference } from './text-difference.ts'

/** A zero width space: Thai and Khmer show by it where a line may break. */
const BREAK = '\u200b'
/** Direction marks (LRM, RLM, ALM): a text in both directions needs them. */
const MARKS = '\u200e\u200f\u061c'
/** They begin a part in another direction. */
const EMBEDDINGS = '\u202a\u202b'
const OVERRIDES = '\u202d\u202e'
const ISOLATES = '\u2066\u2067\u2068'
const [POP, POP_ISOLATE] = ['\u202c', '\u2069']
const BEGINNINGS = new Set(EMBEDDINGS + OVERRIDES + ISOLATES)
/** Controls of C0 and C1 that are no white space, byte order marks, separators, U+FFFD of a wrong encoding. */
const NEVER =
  '\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u2061-\\u2064\\u206a-\\u206f\\ufeff\\ufff9-\\ufffd'

const ANY = new RegExp(`[${NEVER}${BREAK}${MARKS}\\u202a-\\u202e\\u2066-\\u2069]`)
const ALL = new RegExp(ANY, 'g')
/** A letter of a script that is written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/**
 * The characters, such as `U+200B`, that the source lacks: controls, and direction characters that the script does not
 * need. A part in another direction that does not end is a fault in each script. Joiners (U+200C, U+200D) are letters.
 */
export function differentControls(source: string, target: string, language: string): TextDifference | undefined {
  if (!ANY.test(target)) return undefined
  const there: string[] = source.match(ALL) ?? []
  const known = new Set(there)
  const found = target.match(ALL) ?? []
  const needed = neededBy(target, language)
  const strange = found.filter(one => !known.has(one) && !needed.includes(one))
  const openThere = new Set(unpaired(there))
  const extra = new Set([...strange, ...unpaired(found).filter(one => !openThere.has(one))])
  return extra.size === 0 ? undefined : { missing: [], extra: Array.from(extra, nameOf) }
}

/** The characters that a translation may have without its source. */
function neededBy(target: string, language: string): string {
  const { rightToLeft, withoutSpaces } = scriptOf(language)
  const isolating = ISOLATES + POP_ISOLATE + (withoutSpaces ? BREAK : '')
  return rightToLeft || RIGHT_TO_LEFT.test(target) ? isolating + MARKS + EMBEDDINGS + POP : isolating
}

/** Beginnings without an end, and ends without a beginning (Unicode Bidirectional Algorithm, BD9). */
function unpaired(characters: readonly string[]): string[] {
  const open: string[] = []
  const stray: string[] = []
  for (const one of characters) {
    if (BEGINNINGS.has(one)) open.push(one)
    else if (one !== POP && one !== POP_ISOLATE) continue
    else if (open.length > 0 && ISOLATES.includes(open.at(-1)!) === (one === POP_ISOLATE)) open.pop()
    else stray.push(one)
  }
  return [...open, ...stray]
}

const nameOf = (character: string): string => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
