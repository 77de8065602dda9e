/** Placeholders of a text that i18next and its components replace: interpolations, nestings and tags. */

/** What kind of placeholder it is. */
export type PlaceholderKind = 'interpolation' | 'nesting' | 'tag'

/** The signs around an interpolation: i18next's options of these names. */
export interface Interpolation {
  prefix: string
  suffix: string
}

/** i18next's own. */
export const INTERPOLATION: Interpolation = { prefix: '{{', suffix: '}}' }

/** The number of a plural, which `t` always has. */
export const COUNT = '{{count}}'

const NONE: readonly string[] = []

/**
 * A text's placeholders, each once. Their identity:
 * - `{{name}}`, without a format, which is a matter of the language; `{{- name}}` is another: it is not escaped. Of
 * `{{count}}` there is one: a number has nothing to escape. An interpolation has this name in every syntax;
 * {@link inSyntax} returns the one that its project writes.
 * - `$t(key)`, without options
 * - `<b>`, `</b>`, `<br/>`, without attributes; the numbers of react-i18next's components likewise. `<0></0>` is
 * `<0/>`.
 */
export function placeholdersOf(text: string, interpolation: Interpolation = INTERPOLATION): readonly string[] {
  if (!text.includes(interpolation.prefix) && !text.includes('$t(') && !text.includes('<')) return NONE
  const found = new Set<string>()
  collect(text, interpolation, found)
  return found.size === 0 ? NONE : [...found].sort()
}

/** A placeholder where it stands in a text, in code units. */
export interface PlacedPlaceholder {
  /** As {@link placeholdersOf} returns it, which may be shorter than the text. */
  placeholder: string
  from: number
  /** Behind its last character: of a nesting behind the parenthesis that closes it, or the end of the text. */
  to: number
}

/** A text's placeholders, each as often as it stands there, by where they begin. */
export function placedIn(text: string, interpolation: Interpolation = INTERPOLATION): PlacedPlaceholder[] {
  const found: PlacedPlaceholder[] = []
  collect(text, interpolation, { add: (placeholder, from, to) => found.push({ placeholder, from, to }) })
  if (found.some(({ placeholder }) => kindOf(placeholder) === 'nesting')) {
    const closings = closingsOf(text)
    for (const one of found) {
      if (kindOf(one.placeholder) === 'nesting') one.to = (closings.get(one.from + 2) ?? text.length - 1) + 1
    }
  }
  return found.sort((a, b) => a.from - b.from)
}

/** Which parenthesis closes which. */
function closingsOf(text: string): Map<number, number> {
  const closings = new Map<number, number>()
  const open: number[] = []
  for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
    if (bracket === '(') open.push(index)
    else if (open.length > 0) closings.set(open.pop()!, index)
  }
  return closings
}

/** Receives each placeholder: a set, or a collector of places. */
interface Found {
  add(placeholder: string, from: number, to: number): unknown
}

function collect(text: string, interpolation: Interpolation, found: Found): void {
  collectInterpolations(text, interpolation, found)
  if (text.includes('$t(')) collectNestings(text, found)
  if (text.includes('<')) collectTags(text, found)
}

/** The kind of one that {@link placeholdersOf} has found. */
export function kindOf(placeholder: string): PlaceholderKind {
  if (placeholder.startsWith('{')) return 'interpolation'
  return placeholder.startsWith('$') ? 'nesting' : 'tag'
}

/** A placeholder of {@link placeholdersOf} as the texts of a project with this syntax have it. */
export function inSyntax(placeholder: string, { prefix, suffix }: Interpolation = INTERPOLATION): string {
  return kindOf(placeholder) === 'interpolation' ? prefix + placeholder.slice(2, -2) + suffix : placeholder
}

function collectInterpolations(text: string, { prefix, suffix }: Interpolation, found: Found): void {
  for (let from = text.indexOf(prefix); from !== -1; ) {
    const begin = from + prefix.length
    const end = text.indexOf(suffix, begin)
    if (end === -1) return
    const to = end + suffix.length
    const inside = text.slice(begin, end)
    const unescaped = inside.startsWith('-')
    const name = beforeFormat(unescaped ? inside.slice(1) : inside)
    if (name === 'count') found.add(COUNT, from, to)
    else if (name !== '') found.add(unescaped ? `{{- ${name}}}` : `{{${name}}}`, from, to)
    from = text.indexOf(prefix, to)
  }
}

/** Up to the options, which may nest parentheses, quotes and further nestings. */
const NESTING = /\$t\(([^,()]+)[,)]/g

function collectNestings(text: string, found: Found): void {
  for (const { 0: opening, 1: key = '', index } of text.matchAll(NESTING)) {
    if (key.trim() !== '') found.add(`$t(${key.trim()})`, index, index + opening.length)
  }
}

/** A bar is the `formatSeparator` of apps with commas in their formats. i18next itself looks up no name with one. */
function beforeFormat(inside: string): string {
  const end = inside.search(/[,|]/)
  return (end === -1 ? inside : inside.slice(0, end)).trim()
}

const TAG = /<(\/?)([A-Za-z][\w.:-]*|\d+)(?:\s[^<>]*|\/)?>/g

/** Void elements of HTML: `<br>` is `<br/>`. */
const VOID = new Set(['br', 'hr', 'img', 'input', 'wbr'])

function collectTags(text: string, found: Found): void {
  let behind = 0
  for (const { 0: whole, 1: slash, 2: name = '', index } of text.matchAll(TAG)) {
    if (index < behind) continue
    behind = index + whole.length
    const closing = `</${name}>`
    const closes = slash === '' && !whole.endsWith('/>') && text.startsWith(closing, behind)
    if (closes) behind += closing.length
    const isEmpty = slash === '' && (closes || whole.endsWith('/>') || VOID.has(name))
    found.add(`<${slash}${name}${isEmpty ? '/' : ''}>`, index, behind)
  }
}

/** HTML's own names of elements that stand in texts (HTML Living Standard, section 4). */
const HTML = new Set(
  (
    'a,abbr,address,article,aside,audio,b,bdi,bdo,blockquote,br,button,caption,cite,code,col,colgroup,' +
    'data,dd,del,details,dfn,div,dl,dt,em,figcaption,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,i,' +
    'iframe,img,input,ins,kbd,label,legend,li,main,mark,menu,nav,ol,optgroup,option,p,picture,pre,q,rp,rt,' +
    'ruby,s,samp,section,select,small,source,span,strong,sub,summary,sup,svg,table,tbody,td,textarea,' +
    'tfoot,th,thead,time,tr,u,ul,var,video,wbr'
  ).split(','),
)

/**
 * Whether a tag of this name is markup in a text and its translations, and no words in angle brackets (`<name>`): it is
 * numbered, or of HTML, or the source closes it.
 * @param source placeholders of the source
 */
export function isMarkup(tag: string, source: ReadonlySet<string>): boolean {
  const name = tag.replace(/[</>]/g, '')
  if (/^\d+$/.test(name) || HTML.has(name.toLowerCase())) return true
  return source.has(`</${name}>`) || source.has(`<${name}/>`)
}
