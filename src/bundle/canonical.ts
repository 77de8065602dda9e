/** Bundles as bytes: the one canonical JSON file of a bundle, and the id that git gives it. */
import { createHash } from 'node:crypto'
import type { Branch, Entry } from './branch.ts'
import { Failure } from './errors.ts'
import { growTree } from './growth.ts'
import { FORMS, type Forms, type Kind, suffix } from './message.ts'
import type { Format } from './names.ts'
import { ESCAPED } from './place.ts'
import { Bundle, isFlat } from './resource.ts'

/** The file of a bundle without keys. */
export const EMPTY_BUNDLE_BYTES: Buffer = Buffer.from('{}\n')

/** JSON writes no escape without one (RFC 8259 §7), and in UTF-8 it is part of no other character. */
const BACKSLASH = 0x5c

/** Refuses invalid UTF-8, skips a byte-order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a bundle's file. Every leaf stays in the place the file shows, top-level dots included.
 * @param options as for {@link Bundle}
 * @throws Failure `unfit` when it is no resource: not UTF-8, not JSON, not an object, a leaf that is no string, a key at two places
 */
export function parseBundle(bytes: Uint8Array, format: Format, options?: { expendable: boolean }): Bundle {
  const resource = parseJson(bytes)
  if (resource === null || typeof resource !== 'object' || Array.isArray(resource)) {
    throw new Failure('unfit', 'The file is not a JSON object of keys and texts.')
  }
  return new Bundle(format, growTree(resource, isFlat(format), bytes.includes(BACKSLASH)), options)
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw new Failure('unfit', 'The file is not JSON in UTF-8.')
  }
}

/**
 * A bundle's canonical bytes: UTF-8, two spaces, LF, a final newline, no escapes beyond JSON.stringify's. Members
 * stand in code-unit order of their keys; of one key first the text, then the cardinal and the ordinal forms in
 * CLDR's order.
 */
export function renderBundle({ size, tree }: Bundle): Buffer {
  if (size === 0) return EMPTY_BUNDLE_BYTES
  return Buffer.from(`${renderBranch(tree.root, '', tree.escapes ? escaped : quoted)}\n`)
}

/** Gives a name or a text as JSON. */
type Quote = (text: string) => string
const quoted: Quote = text => `"${text}"`
/** Looking first is faster than calling JSON.stringify for every name and text. */
const escaped: Quote = text => (ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`)

function renderBranch(branch: Branch, margin: string, quote: Quote): string {
  const inner = `${margin}  `
  let body = ''
  for (const name of branch.names()) {
    const below = branch.branches.get(name)
    if (below) body += member(branch, inner, name, quote) + renderBranch(below, inner, quote)
    const entry = branch.keys.get(name)
    if (entry) body += renderEntry(entry, inner, quote)
  }
  const lines = body.slice(1)
  return branch.list ? `[${lines}\n${margin}]` : `{${lines}\n${margin}}`
}

/** All leaves of a key, each with a comma before it. */
function renderEntry({ home, base, text, cardinal, ordinal }: Entry, margin: string, quote: Quote): string {
  let lines = text === undefined ? '' : member(home, margin, base, quote) + quote(text)
  if (cardinal) lines += renderForms(home, base, 'cardinal', cardinal, margin, quote)
  if (ordinal) lines += renderForms(home, base, 'ordinal', ordinal, margin, quote)
  return lines
}

function renderForms(home: Branch, base: string, kind: Kind, forms: Forms, margin: string, quote: Quote): string {
  let lines = ''
  for (const form of FORMS) {
    const value = forms[form]
    if (value !== undefined) lines += member(home, margin, base + suffix(kind, form), quote) + quote(value)
  }
  return lines
}

/** The beginning of a member or item, with a comma before it. */
const member = (branch: Branch, margin: string, name: string, quote: Quote): string =>
  branch.list ? `,\n${margin}` : `,\n${margin}${quote(name)}: `

/** The id that git gives these bytes as a blob: 40 hex digits. */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** The id of an empty bundle's file. */
export const EMPTY_BUNDLE_ID: string = blobId(EMPTY_BUNDLE_BYTES)
