/**
 * Comments for translators: those that begin with a mark, as in gettext. An unmarked comment is for developers.
 * `i18n:` is no mark: developers write it for themselves too, as in `// i18n: later`.
 */
import { type Span, startsIn } from './syntax-tree.ts'

export const MARKS: readonly string[] = ['translators:', 'translator:']

/** A note, and the offset of the first token after its comment. */
export interface MarkedComment {
  note: string
  next: number
}

/** Beginnings of lines that are for tools or developers. Such a line ends a note. */
const NOT_FOR_TRANSLATORS =
  /^(?:eslint|prettier|biome|oxlint|stylelint|istanbul|c8|v8|webpack|vite|@|ts-|#|TODO|FIXME|XXX|HACK)/
/** A line comment ends before its line break, so that one is in the gap. */
const GAP_IN_LINES = /^\r?\n[ \t]*$/

/** @param literals strings and texts: `//` begins no comment there */
export function markedComments(code: string, marks: readonly string[], literals: readonly Span[]): MarkedComment[] {
  const lower = marks.map(mark => mark.toLowerCase())
  if (!lower.some(mark => code.toLowerCase().includes(mark))) return []
  return groupsIn(code, literals).flatMap(({ lines, end }) => {
    const note = noteIn(lines, lower)
    return note === '' ? [] : [{ note, next: nextToken(code, end) }]
  })
}

interface CommentGroup {
  lines: string[]
  end: number
}

/** The comments; consecutive line comments are one. */
function groupsIn(code: string, literals: readonly Span[]): CommentGroup[] {
  const groups: CommentGroup[] = []
  const comment = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g
  let isLine = false
  for (let match = comment.exec(code); match; match = comment.exec(code)) {
    const [text] = match
    if (startsIn(literals, match.index)) {
      comment.lastIndex = match.index + 2
      continue
    }
    const end = match.index + text.length
    const last = groups.at(-1)
    const lines = text.startsWith('//') ? [text.slice(2)] : text.slice(2, -2).split(/\r?\n/)
    if (last && isLine && text.startsWith('//') && GAP_IN_LINES.test(code.slice(last.end, match.index))) {
      last.lines.push(...lines)
      last.end = end
    } else groups.push({ lines, end })
    isLine = text.startsWith('//')
  }
  return groups
}

/** The text from each mark to the end of the comment, or to a line for others. */
function noteIn(lines: readonly string[], marks: readonly string[]): string {
  const paragraphs: string[][] = []
  let isNote = false
  for (const line of lines) {
    const text = withoutFrame(line)
    const mark = marks.find(one => text.toLowerCase().startsWith(one))
    if (mark !== undefined || (isNote && text === '')) paragraphs.push([])
    isNote = mark !== undefined || (isNote && !NOT_FOR_TRANSLATORS.test(text))
    if (isNote) paragraphs.at(-1)!.push(text.slice(mark?.length ?? 0).trim())
  }
  return paragraphs
    .map(words => words.join(' ').trim())
    .filter(Boolean)
    .join('\n')
}

/** A line of a comment without the asterisks around it. */
function withoutFrame(line: string): string {
  const text = line.replace(/^[\s*/!]+/, '')
  let end = text.length
  while (end > 0 && (text[end - 1] === '*' || text[end - 1]!.trim() === '')) end--
  return text.slice(0, end)
}

/** Skips white space, and the `}` that ends a comment in JSX. */
function nextToken(code: string, end: number): number {
  const space = /\s*(?:\}\s*)?/y
  space.lastIndex = end
  return end + space.exec(code)![0].length
}
