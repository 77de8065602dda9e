/** Names of languages. The tag always stands beside them, since names are not unique (`he` and `iw`). */
import { scriptOf } from '../../bundle/checks/script-of.ts'

const named = new Map<string, Intl.DisplayNames>()

/** The name of `tag` in the language `reader`; the tag itself where there is none. Both BCP 47. */
export function languageName(tag: string, reader: string): string {
  const names = named.get(reader) ?? new Intl.DisplayNames(reader, { type: 'language', fallback: 'none' })
  named.set(reader, names)
  try {
    return names.of(tag) ?? tag
  } catch {
    return tag
  }
}

/** The name of a language in itself. */
export const ownName = (tag: string): string => languageName(tag, tag)

const directions = new Map<string, 'ltr' | 'rtl'>()

/** The direction of a language's script, as CLDR thinks it likely. */
export function directionOf(tag: string): 'ltr' | 'rtl' {
  // Each text in a list asks for it, and `Intl.Locale` is slow.
  const direction = directions.get(tag) ?? likelyDirection(tag)
  directions.set(tag, direction)
  return direction
}

function likelyDirection(tag: string): 'ltr' | 'rtl' {
  try {
    return scriptOf(tag).rightToLeft ? 'rtl' : 'ltr'
  } catch {
    return 'ltr'
  }
}
