/** What i18next and its components put in place of parts of a text: interpolations, nestings and tags. */

/** What kind of placeholder it is. */
export type PlaceholderKind = 'interpolation' | 'nesting' | 'tag'

/** The number of a plural, which `t` always has. */
export const COUNT = '{{count}}'

const NONE: readonly string[] = []

/**
 * A text's placeholders, each once, as they are told apart:
 * - `{{name}}`, without a format, which is a matter of the language; `{{- name}}` is another: it is not escaped. Of
 * `{{count}}` there is one: a number has nothing to escape.
 * - `$t(key)`, without options
 * - `<b>`, `</b>`, `<br/>`, without attributes; the numbers of react-i18next's components likewise
 */
export function placeholdersOf(text: string): readonly string[] {
  const [curly, dollar, angle] = [text.indexOf('{{'), text.indexOf('$t('), text.indexOf('<')]
  if (curly === -1 && dollar === -1 && angle === -1) return NONE
  const found = new Set<string>()
  if (curly !== -1) collectInterpolations(text, curly, found)
  if (dollar !== -1) collectNestings(text, found)
  if (angle !== -1) collectTags(text, found)
  return found.size === 0 ? NONE : [...found].sort()
}

/** The kind of one that {@link placeholdersOf} has found. */
export function kindOf(placeholder: string): PlaceholderKind {
  if (placeholder.startsWith('{')) return 'interpolation'
  return placeholder.startsWith('$') ? 'nesting' : 'tag'
}

function collectInterpolations(text: string, first: number, found: Set<string>): void {
  for (let from = first; from !== -1; ) {
    const end = text.indexOf('}}', from + 2)
    if (end === -1) return
    const inside = text.slice(from + 2, end)
    const unescaped = inside.startsWith('-')
    const name = beforeComma(unescaped ? inside.slice(1) : inside)
    if (name === 'count') found.add(COUNT)
    else if (name !== '') found.add(unescaped ? `{{- ${name}}}` : `{{${name}}}`)
    from = text.indexOf('{{', end + 2)
  }
}

/** Up to the options, which may nest parentheses, quotes and further nestings. */
const NESTING = /\$t\(([^,()]+)[,)]/g

function collectNestings(text: string, found: Set<string>): void {
  for (const [, key = ''] of text.matchAll(NESTING)) if (key.trim() !== '') found.add(`$t(${key.trim()})`)
}

function beforeComma(inside: string): string {
  const comma = inside.indexOf(',')
  return (comma === -1 ? inside : inside.slice(0, comma)).trim()
}

const TAG = /<(\/?)([A-Za-z][\w.:-]*|\d+)(?:\s[^<>]*|\/)?>/g

/** Elements of HTML that hold nothing: `<br>` is `<br/>`. */
const VOID = new Set(['br', 'hr', 'img', 'input', 'wbr'])

function collectTags(text: string, found: Set<string>): void {
  for (const [whole, slash, name = ''] of text.matchAll(TAG)) {
    const isEmpty = slash === '' && (whole.endsWith('/>') || VOID.has(name))
    found.add(`<${slash}${name}${isEmpty ? '/' : ''}>`)
  }
}
