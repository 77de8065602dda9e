/** Bundles as bytes: the one canonical JSON file of a bundle, and the id that git gives it. */
import { createHash } from 'node:crypto'
import type { Branch, Entry } from './branch.ts'
import { Failure } from './errors.ts'
import { growTree } from './growth.ts'
import { FORMS, type Forms, type Kind, suffix } from './message.ts'
import type { Format } from './names.ts'
import { Bundle, isFlat } from './resource.ts'

/** The file of a bundle without keys. */
export const EMPTY_BUNDLE_BYTES: Buffer = Buffer.from('{}\n')

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
  return new Bundle(format, growTree(resource, isFlat(format)), options)
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
export function renderBundle(bundle: Bundle): Buffer {
  if (bundle.size === 0) return EMPTY_BUNDLE_BYTES
  return Buffer.from(`${renderBranch(bundle.tree.root, '')}\n`)
}

function renderBranch(branch: Branch, margin: string): string {
  const inner = `${margin}  `
  let body = ''
  for (const name of branch.names()) {
    const below = branch.branches.get(name)
    if (below) body += member(branch, inner, name) + renderBranch(below, inner)
    const entry = branch.keys.get(name)
    if (entry) body += renderEntry(entry, inner)
  }
  const lines = body.slice(1)
  return branch.list ? `[${lines}\n${margin}]` : `{${lines}\n${margin}}`
}

/** All leaves of a key, each with a comma before it. */
function renderEntry({ home, base, text, cardinal, ordinal }: Entry, margin: string): string {
  let lines = text === undefined ? '' : member(home, margin, base) + quote(text)
  if (cardinal) lines += renderForms(home, base, 'cardinal', cardinal, margin)
  if (ordinal) lines += renderForms(home, base, 'ordinal', ordinal, margin)
  return lines
}

function renderForms(home: Branch, base: string, kind: Kind, forms: Forms, margin: string): string {
  let lines = ''
  for (const form of FORMS) {
    const value = forms[form]
    if (value !== undefined) lines += member(home, margin, base + suffix(kind, form)) + quote(value)
  }
  return lines
}

/** The beginning of a member or item, with a comma before it. */
const member = (branch: Branch, margin: string, name: string): string =>
  branch.list ? `,\n${margin}` : `,\n${margin}${quote(name)}: `

/** What JSON.stringify escapes; looking first is faster than calling it for every name and text. */
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/
const quote = (text: string): string => (ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`)

/** The id that git gives these bytes as a blob: 40 hex digits. */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** The id of an empty bundle's file. */
export const EMPTY_BUNDLE_ID: string = blobId(EMPTY_BUNDLE_BYTES)
