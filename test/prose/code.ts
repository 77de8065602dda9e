/** The prose of a TypeScript file: comments, titles of tests, and sentences in strings. */
import ts from 'typescript59'
import type { Passage } from './rules.ts'

/** A string is a sentence from this many words on. */
const WORDS_OF_A_SENTENCE = 4

/**
 * Finds the prose of a file.
 * @param path decides between TypeScript and TSX
 * @param text the file
 * @returns comments without their marks, and strings of at least four words
 */
export function proseOf(path: string, text: string): Passage[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1
  const comments = new Map<number, ts.CommentRange>()
  const passages: Passage[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const sentence = ts.isTemplateExpression(node)
        ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('X')
        : node.text
      if (isSentence(sentence)) passages.push({ line: lineOf(node.getStart(file)), text: sentence })
    }
    if (node.kind === ts.SyntaxKind.JsxText) return
    for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? []) comments.set(range.pos, range)
    for (const range of ts.getTrailingCommentRanges(text, node.end) ?? []) comments.set(range.pos, range)
    for (const child of node.getChildren(file)) if (!ts.isJSDoc(child)) visit(child)
  }
  visit(file)
  for (const { pos, end } of inRuns([...comments.values()], text)) {
    const line = lineOf(pos)
    passages.push(...paragraphs(text.slice(pos, end)).map(({ offset, text }) => ({ line: line + offset, text })))
  }
  return passages
}

/** Comments of `//` on lines that follow each other are one. */
function inRuns(comments: ts.TextRange[], text: string): ts.TextRange[] {
  const runs: ts.TextRange[] = []
  const startsLine = (position: number) => /(^|\n)[ \t]*$/.test(text.slice(0, position))
  for (const { pos, end } of comments.sort((a, b) => a.pos - b.pos)) {
    const last = runs.at(-1)
    const continues = last && startsLine(last.pos) && text.startsWith('//', last.pos) && text.startsWith('//', pos)
    if (continues && /^\n[ \t]*$/.test(text.slice(last.end, pos))) last.end = end
    else runs.push({ pos, end })
  }
  return runs
}

/** SQL is code. */
const SQL =
  /^(?:X, \w+ as|with \w+ as|select|insert into|update \w+ set|delete from|create (?:table|temp|or)|alter table) /

function isSentence(text: string): boolean {
  return (
    !SQL.test(text.trimStart()) &&
    /^[\p{L}"'`X]/u.test(text) &&
    text.split(/\s+/).filter(word => /^[\p{L}'’,.;:-]+$/u.test(word)).length >= WORDS_OF_A_SENTENCE
  )
}

/** The paragraphs of a comment: divided by empty lines, by tags, and by items of a list. */
function paragraphs(comment: string): { offset: number; text: string }[] {
  const lines = comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .split('\n')
    .map(line => line.replace(/^\s*(\*|\/\/+)? ?/, ''))
  const found: { offset: number; text: string }[] = []
  let isOpen = false
  for (const [offset, line] of lines.entries()) {
    const text = line.trim()
    if (text === '') isOpen = false
    else if (isOpen && !/^(@|[-*•] |\d+\. |\|)/.test(text)) found.at(-1)!.text += ` ${text}`
    else found.push({ offset, text: text.replace(/^@(param|property) \S+|^@\w+/, '') })
    if (text !== '') isOpen = true
  }
  return found
}

/** The numbers of lines, counted from 1, that are a comment and too long. @param columns the most that a line may have */
export function longComments(text: string, columns: number): number[] {
  const isComment = (line: string) => /^\s*(\/\*|\*|\/\/)/.test(line)
  return text.split('\n').flatMap((line, index) => (isComment(line) && line.length > columns ? [index + 1] : []))
}
