/** Recognizes ICU MessageFormat in a text, in one pass. */

/** ICU constructs that i18next cannot render. */
export type IcuConstruct = 'plural' | 'selectordinal' | 'select' | 'choice' | 'skeleton'

const COMPLEX: readonly string[] = ['plural', 'selectordinal', 'select']
const FORMATTED: readonly string[] = ['number', 'date', 'time']

/**
 * A text's ICU construct: a complex argument such as `{n, plural, one {…} other {…}}`, a skeleton (`::`), or a
 * `choice`. Simple arguments (`{name}`, `{n, number}`) and double braces are i18next's. The time is linear: heads are
 * read up to the next brace, and a stack pairs braces.
 */
export function findIcu(text: string): IcuConstruct | undefined {
  if (!text.includes(',') || !opensSingly(text)) return undefined
  const open: (IcuConstruct | undefined)[] = []
  for (let at = text.indexOf('{'); at !== -1; at = nextBrace(text, at + 1)) {
    if (text[at] === '}') {
      const closed = open.pop()
      if (closed) return closed
    } else {
      const head = text[at - 1] === '{' ? undefined : readHead(text, at)
      if (head === 'choice' || head === 'skeleton') return head
      open.push(head)
    }
  }
  return undefined
}

/** The rule that ICU MessageFormat breaks; undefined for other texts. */
export function icuFault(text: string): string | undefined {
  const construct = findIcu(text)
  if (!construct) return undefined
  const instead = construct === 'skeleton' ? '{{n, number}}' : 'plural suffixes (_one, _other) or context keys'
  return `ICU MessageFormat (${construct}) is not i18next; use ${instead}`
}

/** Whether a single brace opens, as in ICU: i18next's are double. */
function opensSingly(text: string): boolean {
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at)) {
    const from = at
    while (text.charCodeAt(at) === 0x7b) at++
    if (at - from === 1) return true
  }
  return false
}

function nextBrace(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x7b || code === 0x7d) return at
  }
  return -1
}

/** The argument that opens at a brace, from the text before the next one: `name , type , style`. */
function readHead(text: string, brace: number): IcuConstruct | undefined {
  const end = nextBrace(text, brace + 1)
  if (end === -1) return undefined
  const head = text.slice(brace + 1, end)
  const nameEnd = head.indexOf(',')
  const typeEnd = head.indexOf(',', nameEnd + 1)
  if (nameEnd === -1 || typeEnd === -1 || !isWord(head.slice(0, nameEnd).trim())) return undefined
  const type = head.slice(nameEnd + 1, typeEnd).trim()
  const style = head.slice(typeEnd + 1).trim()
  if (text[end] === '{') return COMPLEX.includes(type) && isSelector(style) ? (type as IcuConstruct) : undefined
  if (text[end + 1] === '}') return undefined
  if (FORMATTED.includes(type) && style.startsWith('::') && style.length > 2) return 'skeleton'
  if (type === 'choice' && /[#<≤]/.test(style)) return 'choice'
  return undefined
}

const isWord = (text: string): boolean => text !== '' && !/[\s,'"]/.test(text)

/** A selector, perhaps after an offset (`offset:1 one`). */
function isSelector(style: string): boolean {
  if (isWord(style)) return true
  const offset = /^offset\s*:\s*\d+(?!\d)/.exec(style)
  return offset !== null && isWord(style.slice(offset[0].length).trim())
}
