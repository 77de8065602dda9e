/** Find and replace in one text. */

export interface ReplaceQuery {
  find: string
  replace: string
  /** `find` is a regular expression of JavaScript, and `replace` may name its groups: `$1`, `$<name>`, `$&`. */
  isRegExp: boolean
  matchCase: boolean
  /** Words by the word boundaries of the text's language. */
  wholeWords: boolean
}

/** `language` is BCP 47. */
export interface ReplaceSubject {
  text: string
  language: string
}

/** @returns what a text becomes @throws SyntaxError of a regular expression */
export function replacer(query: ReplaceQuery): (subject: ReplaceSubject) => string {
  const { find, replace, isRegExp, matchCase, wholeWords } = query
  const pattern = new RegExp(isRegExp ? find : either(find), `gu${matchCase ? '' : 'i'}`)
  return ({ text, language }) => {
    let cuts: ReadonlySet<number> | undefined
    let made = ''
    let at = 0
    for (const match of text.matchAll(pattern)) {
      const [found] = match
      if (wholeWords) {
        cuts ??= cutsOf(text, language)
        if (!cuts.has(match.index) || !cuts.has(match.index + found.length)) continue
      }
      made += text.slice(at, match.index) + (isRegExp ? expanded(replace, match) : replace)
      at = match.index + found.length
    }
    return made + text.slice(at)
  }
}

/** A text as a pattern, composed or decomposed: `é` is found as `e` with an accent too. */
function either(find: string): string {
  const forms = new Set(['NFC', 'NFD'].map(form => find.normalize(form)).concat(find))
  return `(?:${[...forms].map(form => form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')})`
}

function cutsOf(text: string, language: string): Set<number> {
  const cuts = new Set([0, text.length])
  for (const { index } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) cuts.add(index)
  return cuts
}

/** As `String.prototype.replace` reads `$`; a reference to an unknown group stays literal. */
const expanded = (replace: string, match: RegExpExecArray): string =>
  replace.replace(/\$(?:\$|&|<([^>]*)>|(\d{1,2}))/g, (sign, name: string | undefined, number: string | undefined) => {
    if (sign === '$$') return '$'
    if (sign === '$&') return match[0]
    if (name !== undefined) return match.groups && name in match.groups ? (match.groups[name] ?? '') : sign
    return Number(number) > 0 && Number(number) < match.length ? (match[Number(number)] ?? '') : sign
  })
