/** A bundle's one canonical JSON file, and git's id of it. */
import { createHash } from 'node:crypto'
import { isObject } from './body.ts'
import { Failure } from './errors.ts'
import { parseJson } from './json.ts'
import type { Format } from './names.ts'
import { readTree } from './read-tree.ts'
import { renderTree } from './render.ts'
import { Bundle, isFlat } from './resource.ts'

/** The file of a bundle without keys. */
export const EMPTY_BUNDLE_BYTES: Buffer = Buffer.from('{}\n')

/** JSON has no escape without one (RFC 8259 §7), nor UTF-8 one within another character. */
const BACKSLASH = 0x5c

/** Refuses invalid UTF-8, skips a byte-order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a bundle's file. Every leaf stays in its place, top-level dots included.
 * @param options as for {@link Bundle}
 * @throws Failure `unfit` unless UTF-8, JSON, an object, all leaves strings, each key at one place
 */
export function parseBundle(bytes: Uint8Array, format: Format, options?: { expendable: boolean }): Bundle {
  return new Bundle(format, readTree(parseResource(bytes), isFlat(format), bytes.includes(BACKSLASH)), options)
}

/**
 * A file's bundle; the format only matters for places. Absent files are empty, and so are bad ones, which someone may
 * have committed while no server ran.
 */
export function bundleIn(bytes: Uint8Array | null): Bundle {
  if (bytes === null) return Bundle.empty('i18next-json')
  try {
    return parseBundle(bytes, 'i18next-json')
  } catch (error) {
    if (error instanceof Failure && error.code === 'unfit') return Bundle.empty('i18next-json')
    throw error
  }
}

/** A bundle's file as JSON. @throws Failure `unfit` unless UTF-8, JSON, an object */
export function parseResource(bytes: Uint8Array): object {
  const resource = jsonOf(bytes)
  if (isObject(resource)) return resource
  throw new Failure('unfit', 'The file is not a JSON object of keys and texts.')
}

/** Whether a file is a resource, for files that a person may have broken. @throws Failure as {@link parseResource} */
export function requireResource({ bytes }: { bytes: Uint8Array }): true {
  parseResource(bytes)
  return true
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return parseJson(decoder.decode(bytes))
  } catch {
    throw new Failure('unfit', 'The file is not JSON in UTF-8.')
  }
}

/**
 * Canonical bytes: UTF-8, two spaces, LF, a final newline, only JSON.stringify's escapes. Members are in code-unit
 * order of their keys; of one key first the text, then cardinal and ordinal forms in CLDR's order.
 * @param most bytes @throws Failure `too-large` for more
 */
export function renderBundle({ size, tree }: Bundle, most?: number): Buffer {
  return size === 0 ? EMPTY_BUNDLE_BYTES : renderTree(tree, most)
}

/** The canonical bytes of a resource. Its members must be in canonical order already. */
export const renderPlain = (resource: object): Buffer => Buffer.from(`${JSON.stringify(resource, null, 2)}\n`)

/** git's blob id of these bytes: 40 hex digits. */
export function blobId(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

/** The id of an empty bundle's file. */
export const EMPTY_BUNDLE_ID: string = /* @__PURE__ */ blobId(EMPTY_BUNDLE_BYTES)
