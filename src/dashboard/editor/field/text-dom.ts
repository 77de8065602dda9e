/**
 * The text of a field that browsers edit as plain text: text nodes and, here and there, `<br>`. A line break that is the
 * last character shows no line, so browsers keep one more behind it than the text has.
 */

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
    const [start, end] = [placeOf(field, pieces, from), placeOf(field, pieces, to)]
    range.setStart(start.node, start.offset)
    range.setEnd(end.node, end.offset)
    return range
  })
}

/** Where a selection begins and ends in the text; undefined when it is elsewhere. */
export function selectionIn(field: HTMLElement): { from: number; to: number } | undefined {
  const selection = getSelection()
  if (!selection || selection.rangeCount === 0) return undefined
  const range = selection.getRangeAt(0)
  if (!field.contains(range.startContainer) || !field.contains(range.endContainer)) return undefined
  const before = (node: Node, offset: number) => {
    const upTo = document.createRange()
    upTo.setStart(field, 0)
    upTo.setEnd(node, offset)
    const copy = document.createElement('div')
    copy.append(upTo.cloneContents())
    return piecesOf(copy).reduce((sum, { length }) => sum + Math.abs(length), 0)
  }
  return { from: before(range.startContainer, range.startOffset), to: before(range.endContainer, range.endOffset) }
}

/** Selects between two places of a field's text. */
export function select(field: HTMLElement, from: number, to: number): void {
  const [range] = rangesIn(field, [{ from, to }])
  const selection = getSelection()!
  selection.removeAllRanges()
  selection.addRange(range!)
}

/** A text node with its length, or a `<br>`: -1. */
interface Piece {
  node: Node
  length: number
}

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

function placeOf(field: HTMLElement, pieces: readonly Piece[], place: number): { node: Node; offset: number } {
  let left = place
  for (const { node, length } of pieces) {
    if (length >= 0 && left <= length) return { node, offset: left }
    if (length < 0 && left === 0) return { node: node.parentNode!, offset: indexOf(node) }
    left -= Math.abs(length)
  }
  return { node: field, offset: field.childNodes.length }
}

const indexOf = (node: Node): number => [...node.parentNode!.childNodes].indexOf(node as ChildNode)
