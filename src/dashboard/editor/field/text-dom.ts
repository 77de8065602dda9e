/**
 * The text of a `plaintext-only` field: text nodes and some `<br>`. A final line break shows no line, so browsers add
 * one more than the text has.
 */
import { type Interpolation, placedIn } from '../../../bundle/placeholders.ts'
import { isHeavy } from '../model/leaves.ts'
import { type Invisible, invisibleIn } from './invisible.ts'

/** The text of a field, its lines ended by `\n`. */
export function readText(field: HTMLElement): string {
  let text = ''
  for (const { node, length } of piecesOf(field)) text += length < 0 ? '\n' : (node as Text).data
  return text.replace(/\r\n?/g, '\n').replace(/\n$/, '')
}

/** Puts a text in, past the browser's undo. */
export function writeText(field: HTMLElement, text: string): void {
  field.textContent = text.endsWith('\n') ? `${text}\n` : text
}

/** Ranges between places of a field's text, in code units. */
export function rangesIn(field: HTMLElement, places: readonly { from: number; to: number }[]): Range[] {
  if (places.length === 0) return []
  const pieces = piecesOf(field)
  return places.map(({ from, to }) => {
    const range = document.createRange()
    range.setStart(...placeOf(field, pieces, from))
    range.setEnd(...placeOf(field, pieces, to))
    return range
  })
}

export function endOf(field: HTMLElement): Range {
  const end = readText(field).length
  return rangesIn(field, [{ from: end, to: end }])[0]!
}

export function rangeOfAll(field: HTMLElement): Range {
  const range = document.createRange()
  range.selectNodeContents(field)
  return range
}

/** The selection if it is in the field; it moves with edits. */
export function selectionIn(field: HTMLElement): Range | undefined {
  const selection = getSelection()
  if (!selection || selection.rangeCount === 0) return undefined
  const range = selection.getRangeAt(0)
  return field.contains(range.startContainer) && field.contains(range.endContainer) ? range.cloneRange() : undefined
}

export function select(range: Range): void {
  const selection = getSelection()!
  selection.removeAllRanges()
  selection.addRange(range)
}

/**
 * Replaces the selection of the focused field. `execCommand` alone can be undone, here as a step of its own. As text,
 * Chromium splits lines into blocks and merges the step with earlier typing. As HTML it inserts them unchanged, while
 * Firefox turns line breaks into spaces.
 */
export function insertText(field: HTMLElement, text: string): void {
  const lines = text.replace(/\r\n?/g, '\n')
  if (lines === '') document.execCommand('delete')
  else if (CSS.supports('-moz-appearance', 'none')) document.execCommand('insertText', false, lines)
  else insertAsHtml(field, lines)
}

function insertAsHtml(field: HTMLElement, text: string): void {
  const { startContainer, startOffset, endContainer, endOffset } = selectionIn(field)!
  const around = rangeOfAll(field)
  around.setEnd(startContainer, startOffset)
  const end = lengthOf(around) + text.length
  around.selectNodeContents(field)
  around.setStart(endContainer, endOffset)
  // The last line break of a field shows no line: it needs another one.
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const isLast = text.endsWith('\n') && lengthOf(around) === 0
  document.execCommand('insertHTML', false, isLast ? `${html}\n` : html)
  if (isLast) select(rangesIn(field, [{ from: end, to: end }])[0]!)
}

function lengthOf(range: Range): number {
  return piecesOf(range.cloneContents()).reduce((sum, { length }) => sum + Math.abs(length), 0)
}

/** A text node with its length, or a `<br>`: -1. */
type Piece = { node: Node; length: number }

function piecesOf(field: Node): Piece[] {
  const pieces: Piece[] = []
  const walker = document.createTreeWalker(field, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    if (node.nodeType === Node.TEXT_NODE) pieces.push({ node, length: (node as Text).length })
    else if (node.nodeName === 'BR') pieces.push({ node, length: -1 })
  }
  return pieces
}

function placeOf(field: HTMLElement, pieces: readonly Piece[], place: number): [node: Node, offset: number] {
  let left = place
  for (const { node, length } of pieces) {
    if (length >= 0 && left <= length) return [node, left]
    const parent = node.parentNode!
    if (length < 0 && left === 0) return [parent, [...parent.childNodes].indexOf(node as ChildNode)]
    left -= Math.abs(length)
  }
  return [field, field.childNodes.length]
}

/** Names of highlights in `translation-field.module.css`. */
const PLACEHOLDER = 'parlance-placeholder'
const UNKNOWN = 'parlance-unknown'
const SPACE = 'parlance-space'

/** Spaces that are coloured in one field; more would slow each key press down. */
const MOST_SPACES = 200

export interface FieldContent {
  /** The placeholders of the source; others are marked as unknown. Undefined marks none. */
  placeholders: readonly string[] | undefined
  interpolation: Interpolation | undefined
  /** Whether characters without a look of their own are shown. */
  showInvisible: boolean
}

/** Coloured parts of one field by the CSS Custom Highlight API: the text itself stays the browser's own. */
export class FieldHighlights {
  #ranges: [name: string, Range][] = []

  /** Of a heavy text nothing is coloured. @returns what has no width of its own, to be shown beside the text */
  show(field: HTMLElement, { placeholders, interpolation, showInvisible }: FieldContent): Invisible[] {
    this.clear()
    const text = readText(field)
    if (!('highlights' in CSS) || isHeavy(text, interpolation)) return []
    const unseen = showInvisible ? invisibleIn(text) : []
    const placed = placedIn(text, interpolation)
    const spaces = unseen.filter(({ is }) => is === 'space').slice(0, MOST_SPACES)
    const isKnown = (placeholder: string) => !placeholders || placeholders.includes(placeholder)
    const names = [
      ...placed.map(({ placeholder }) => (isKnown(placeholder) ? PLACEHOLDER : UNKNOWN)),
      ...spaces.map(() => SPACE),
    ]
    this.#ranges = rangesIn(field, [...placed, ...spaces]).map((range, at) => [names[at]!, range])
    for (const [name, range] of this.#ranges) highlightOf(name).add(range)
    return unseen.filter(({ is }) => is === 'mark')
  }

  clear(): void {
    for (const [name, range] of this.#ranges) highlightOf(name).delete(range)
    this.#ranges = []
  }
}

/** Shared by all fields: highlight names are global to the document. */
function highlightOf(name: string): Highlight {
  const highlight = CSS.highlights.get(name) ?? new Highlight()
  CSS.highlights.set(name, highlight)
  return highlight
}
