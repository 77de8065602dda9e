/** Entries beside a bundle by key, such as notes: `{ key: entry }`. */
import { isObject } from './body.ts'
import { parseJson } from './json.ts'

/** Entries by key, each as JSON. */
export type KeyEntries<E = unknown> = Map<string, E>

/** Reads a file. A bad file, which a person may have committed, has no entries. */
export function entriesIn(bytes: Uint8Array | null | undefined): KeyEntries {
  if (!bytes) return new Map()
  try {
    const value = parseJson(Buffer.from(bytes).toString('utf8'))
    return new Map(isObject(value) ? Object.entries(value) : [])
  } catch {
    return new Map()
  }
}
