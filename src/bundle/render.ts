/** Writes a tree of places as the canonical file. */
import { fileTooLarge } from './file-size.ts'
import type { JsonNode, KeyEntry } from './json-node.ts'
import { linesOf } from './message.ts'
import { ESCAPED, type PlaceTree } from './place.ts'

/** Characters of a piece that becomes bytes: V8 would copy one string of the whole file twice. */
const PIECE = 16_384

type Quote = (text: string) => string
const asIs: Quote = text => text
/** Faster than JSON.stringify for every name and text. */
const escaped: Quote = text => (ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text)

/** How a tree's names and texts are written. */
const quoteOf = (tree: PlaceTree): Quote => (tree.escapes ? escaped : asIs)

/** A non-empty tree's file. @param most its bytes @throws Failure `too-large` as soon as there are more */
export function renderTree(tree: PlaceTree, most = Number.POSITIVE_INFINITY): Buffer {
  const file = new Pieces(most)
  renderBranch(tree.root, '', quoteOf(tree), file)
  file.text += '\n'
  return file.bytes()
}

/** Text as bytes with memory of their own. `Buffer.from` cuts bytes from a slab, which a cache would retain. */
export function ownUtf8(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** Text that becomes bytes in pieces. */
class Pieces {
  text = ''
  readonly #done: Buffer[] = []
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  shift(): void {
    if (this.text.length > PIECE) this.#shift()
  }

  bytes(): Buffer {
    this.#shift()
    return this.#done.length === 1 ? this.#done[0]! : Buffer.concat(this.#done)
  }

  #shift(): void {
    const piece = ownUtf8(this.text)
    this.#left -= piece.length
    if (this.#left < 0) throw fileTooLarge()
    this.#done.push(piece)
    this.text = ''
  }
}

function renderBranch(node: JsonNode, margin: string, quote: Quote, file: Pieces): void {
  const inner = `${margin}  `
  let comma = ''
  file.text += node.list ? '[' : '{'
  for (const name of node.names()) {
    const below = node.nodes.get(name)
    if (below) {
      file.text += comma + opening(node, name, inner, quote)
      renderBranch(below, inner, quote, file)
      comma = ','
    }
    const entry = node.keys.get(name)
    if (entry) {
      renderEntry(entry, inner, quote, file, comma)
      comma = ','
    }
    file.shift()
  }
  file.text += `\n${margin}${node.list ? ']' : '}'}`
}

/** All leaves of a key. @param comma comes before the first */
function renderEntry(entry: KeyEntry, margin: string, quote: Quote, file: Pieces, comma: string): void {
  const { home, base, text } = entry
  if (!entry.hasForms) {
    if (text !== undefined) file.text += `${comma}${opening(home, base, margin, quote)}"${quote(text)}"`
    return
  }
  let before = comma
  for (const [ending, value] of linesOf(entry)) {
    file.text += `${before}${opening(home, base + ending, margin, quote)}"${quote(value)}"`
    before = ','
  }
}

/** The beginning of a member or item. */
const opening = (node: JsonNode, name: string, margin: string, quote: Quote): string =>
  node.list ? `\n${margin}` : `\n${margin}"${quote(name)}": `
