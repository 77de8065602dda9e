/** Bundles as bytes: the one canonical JSON file of a bundle, and the id that git gives it. */
import { createHash } from 'node:crypto'
import { Failure } from './errors.ts'
import { growTree } from './growth.ts'
import { FORMS, type Forms, KINDS, type Kind, suffix } from './message.ts'
import type { Format } from './names.ts'
import type { Branch, Entry } from './place.ts'
import { Bundle, isFlat } from './resource.ts'

/** The file of a bundle without keys. */
export const EMPTY_BUNDLE_BYTES: Buffer = Buffer.from('{}\n')

/** Refuses invalid UTF-8, skips a byte-order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a bundle's file. Every leaf stays in the place the file shows, top-level dots included.
 * @throws Failure `unfit` when it is no resource: not UTF-8, not JSON, not an object, a leaf that is no string, a key at two places
 */
export function parseBundle(bytes: Uint8Array, format: Format, _language: string): Bundle {
  const resource = parseJson(bytes)
  if (resource === null || typeof resource !== 'object' || Array.isArray(resource)) {
    throw new Failure('unfit', 'The file is not a JSON object of keys and texts.')
  }
  return new Bundle(format, growTree(resource, isFlat(format)))
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
  const lead = branch.list ? () => inner : (name: string) => `${inner}${JSON.stringify(name)}: `
  let body = ''
  const write = (name: string, value: string) => {
    body += `${body === '' ? '' : ',\n'}${lead(name)}${value}`
  }
  for (const name of branch.names()) {
    const below = branch.branches.get(name)
    if (below) write(name, renderBranch(below, inner))
    const entry = branch.keys.get(name)
    if (entry) writeEntry(entry, write)
  }
  return branch.list ? `[\n${body}\n${margin}]` : `{\n${body}\n${margin}}`
}

function writeEntry(entry: Entry, write: (name: string, value: string) => void): void {
  if (entry.text !== undefined) write(entry.base, JSON.stringify(entry.text))
  for (const kind of KINDS) writeForms(entry.base, kind, entry[kind], write)
}

function writeForms(
  base: string,
  kind: Kind,
  forms: Forms | undefined,
  write: (name: string, value: string) => void,
): void {
  if (!forms) return
  for (const form of FORMS) {
    const value = forms[form]
    if (value !== undefined) write(base + suffix(kind, form), JSON.stringify(value))
  }
}

/** The id that git gives these bytes as a blob: 40 hex digits. */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** The id of an empty bundle's file. */
export const EMPTY_BUNDLE_ID: string = blobId(EMPTY_BUNDLE_BYTES)
