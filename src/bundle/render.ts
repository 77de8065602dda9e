/** Writes a tree of places as the canonical file. */
import { fileTooLarge } from './file-size.ts'
import type { JsonNode, KeyEntry } from './json-node.ts'
import { linesOf } from './message.ts'
import { ESCAPED, type PlaceTree } from './place.ts'

type Quote = (text: string) => string
const asIs: Quote = text => text
/** Faster than JSON.stringify for every name and text. */
const escaped: Quote = text => (ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text)

/** A non-empty tree's file. @param most its bytes @throws Failure `too-large` for more */
export function renderTree(tree: PlaceTree, most = Number.POSITIVE_INFINITY): Buffer {
  const text = `${renderBranch(tree.root, '', tree.escapes ? escaped : asIs)}\n`
  const length = Buffer.byteLength(text)
  if (length > most) throw fileTooLarge()
  // With memory of their own: `Buffer.from` cuts bytes from a slab, which a cache would retain.
  const bytes = Buffer.allocUnsafeSlow(length)
  bytes.write(text)
  return bytes
}

function renderBranch(node: JsonNode, margin: string, quote: Quote): string {
  const inner = `${margin}  `
  const members: string[] = []
  for (const name of node.names()) {
    const below = node.nodes.get(name)
    if (below) members.push(opening(node, name, inner, quote) + renderBranch(below, inner, quote))
    const entry = node.keys.get(name)
    if (entry) renderEntry(entry, inner, quote, members)
  }
  const [open, close] = node.list ? '[]' : '{}'
  return `${open}${members.join(',')}\n${margin}${close}`
}

/** All leaves of a key. */
function renderEntry(entry: KeyEntry, margin: string, quote: Quote, members: string[]): void {
  const { home, base, text } = entry
  if (!entry.hasForms) {
    if (text !== undefined) members.push(`${opening(home, base, margin, quote)}"${quote(text)}"`)
    return
  }
  for (const [ending, value] of linesOf(entry)) {
    members.push(`${opening(home, base + ending, margin, quote)}"${quote(value)}"`)
  }
}

/** The beginning of a member or item. */
const opening = (node: JsonNode, name: string, margin: string, quote: Quote): string =>
  node.list ? `\n${margin}` : `\n${margin}"${quote(name)}": `
