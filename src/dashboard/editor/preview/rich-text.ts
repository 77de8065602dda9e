/** The elements of a rendered text: HTML that react-i18next renders, and the tags of `Trans`. */

/** Words, or an element with its content. `from` is where it begins, in code units. */
export type RichNode = { from: number } & ({ text: string } | { tag: string; children: RichNode[] })

const TAG = /<(\/?)([A-Za-z0-9][\w.-]*)(?:\s[^<>]*?)?\s*(\/?)>/g
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'wbr'])

/** Splits a text at its tags. A tag without its other half is words. */
export function richText(text: string): RichNode[] {
  const root: RichNode[] = []
  /** Elements without an end so far. */
  const open: { from: number; tag: string; source: string; children: RichNode[] }[] = []
  const here = () => open.at(-1)?.children ?? root
  /** The innermost open tag has no end, so it is words. */
  const spill = () => {
    const { from, source, children } = open.pop()!
    here().push({ from, text: source }, ...children)
  }
  let at = 0
  for (const { 0: source, 1: ends, 2: tag = '', 3: closes, index: from } of text.matchAll(TAG)) {
    if (from > at) here().push({ from: at, text: text.slice(at, from) })
    at = from + source.length
    if (closes || VOID.has(tag)) here().push({ from, tag, children: [] })
    else if (!ends) open.push({ from, tag, source, children: [] })
    else if (!open.some(one => one.tag === tag)) here().push({ from, text: source })
    else {
      while (open.at(-1)!.tag !== tag) spill()
      const { from, children } = open.pop()!
      here().push({ from, tag, children })
    }
  }
  if (at < text.length) here().push({ from: at, text: text.slice(at) })
  while (open.length > 0) spill()
  return root
}
