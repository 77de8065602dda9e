/** What a screen reader finds in a page, and what it says by itself. */
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { eventually } from '../eventually.ts'

interface Node {
  /** Role, name and states; of words `text`. */
  key: string
  value: string
  children: Node[]
}

/**
 * Fails unless an element is this in the accessibility tree, as Playwright writes it; addresses and ids are left out,
 * and words that a name has already.
 */
export async function looksLike(t: Test, element: Locator, expected: string): Promise<void> {
  await element.waitFor()
  const [, indent = ''] = /^\n( *)/.exec(expected) ?? []
  const wanted = expected.replaceAll(`\n${indent}`, '\n').trim()
  const look = async () => {
    const found = parse(await element.ariaSnapshot()).map(simple)
    return found.map(node => written(node, '')).join('\n')
  }
  // What was there before may still be going.
  await eventually(async () => (await look()) === wanted)
  t.equal(await look(), wanted)
}

/** YAML, as far as a snapshot has it. */
function parse(snapshot: string): Node[] {
  const root: Node = { key: '', value: '', children: [] }
  const open = [root]
  for (const line of snapshot.split('\n')) {
    const [, indent, quoted, plain = '', value = ''] =
      /^( *)- (?:'((?:[^']|'')*)'|((?:[^":]|"(?:[^"\\]|\\.)*")*)):?(?: (.*))?$/.exec(line)!
    const node = { key: quoted?.replaceAll("''", "'") ?? plain, value: unquoted(value), children: [] }
    const depth = indent!.length / 2
    open[depth]!.children.push(node)
    open[depth + 1] = node
  }
  return root.children
}

const unquoted = (value: string): string =>
  value.startsWith('"') ? JSON.parse(value) : value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value

/** Adjacent words as one, and none below a name that consists of them. */
function simple({ key, value, children }: Node): Node {
  const kept: Node[] = []
  for (const child of children.map(simple)) {
    if (child.key.startsWith('/')) continue
    const isWords = child.key === 'text' || child.key === 'code'
    // How long ago it was is another word on a slow machine.
    const words = child.value.replace(child.key === 'time' ? /.+/u : /\b[0-9a-f]{8}\b/gu, '…')
    const before = kept.at(-1)
    if (isWords && before?.key === 'text') before.value += ` ${words}`
    else kept.push(isWords ? { ...child, key: 'text', value: words } : { ...child, value: words })
  }
  const isOnlyWords = kept.length === 1 && kept[0]!.key === 'text'
  if (isOnlyWords && /^\S+ "/.test(key)) return { key, value, children: [] }
  return isOnlyWords ? { key, value: kept[0]!.value, children: [] } : { key, value, children: kept }
}

const written = ({ key, value, children }: Node, indent: string): string =>
  [
    `${indent}- ${key}${value === '' ? (children.length > 0 ? ':' : '') : `: ${value}`}`,
    ...children.map(child => written(child, `${indent}  `)),
  ].join('\n')

/**
 * Listens to live regions (WAI-ARIA) from the first call on. @returns what they said since the last one, in its order
 */
export const hear = (page: Page): Promise<string[]> => page.evaluate(LISTEN)

/** Whether a sentence is said, sooner or later. */
export const isSaid = (page: Page, sentence: string): Promise<boolean> =>
  eventually(async () => (await hear(page)).includes(sentence))

/** What describes the field that has the focus. */
export const described = (page: Page): Promise<string> =>
  page.evaluate(`document.activeElement.getAttribute('aria-describedby').split(' ')
    .map(id => document.getElementById(id)?.innerText ?? '').join(' ').trim()`)

const LISTEN = `(() => {
  if (!globalThis.heard) {
    globalThis.heard = []
    const said = new Map()
    const look = () => {
      for (const region of document.querySelectorAll('[role=status], [role=alert], [role=log], [aria-live=polite]')) {
        const words = region.innerText.replace(/\\s+/gu, ' ').trim()
        if (words !== '' && said.get(region) !== region.textContent) globalThis.heard.push(words)
        said.set(region, region.textContent)
      }
    }
    look()
    globalThis.heard = []
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
  }
  return globalThis.heard.splice(0)
})()`
