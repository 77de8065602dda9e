/** The prose of a Markdown document: paragraphs, headings, items of lists, cells of tables. */
import type { Passage } from './rules.ts'

/**
 * Finds the prose of a document.
 * @param text Markdown
 * @returns its paragraphs, headings, items and cells; blocks of code are none
 */
export function proseOf(text: string): Passage[] {
  const found: Passage[] = []
  let fence: string | undefined
  let isOpen = false
  for (const [index, raw] of text.split('\n').entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(raw)?.[1]
    if (mark && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined
      isOpen = false
      continue
    }
    if (fence !== undefined) continue
    const line = raw.trim().replace(/^>\s?/, '')
    if (line.startsWith('|')) {
      const cells = line.split(/(?<!\\)\|/).map(text => ({ line: index + 1, text: text.trim() }))
      found.push(...cells.filter(({ text }) => /\w/.test(text)))
      isOpen = false
    } else if (line === '' || /^(<|---)/.test(line)) isOpen = false
    else if (isOpen && !/^(#|[-*•] |\d+\. )/.test(line)) found.at(-1)!.text += ` ${line}`
    else {
      found.push({ line: index + 1, text: line })
      isOpen = !line.startsWith('#')
    }
  }
  return found
}

/**
 * Finds lines that are too long.
 * @param text Markdown
 * @param columns the most that a line may have
 * @returns their numbers, counted from 1; tables, code and lines that are one link are left out
 */
export function longLines(text: string, columns: number): number[] {
  let isCode = false
  return text.split('\n').flatMap((line, index) => {
    if (/^\s*(`{3,}|~{3,})/.test(line)) isCode = !isCode
    const isProse = !isCode && !/^\s*\|/.test(line) && line.trim().includes(' ')
    return isProse && line.length > columns ? [index + 1] : []
  })
}
