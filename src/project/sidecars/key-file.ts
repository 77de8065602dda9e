/** A sidecar's file by key, for any kind of entries: `{ key: entry }`. */
import { isObject } from '../../bundle/body.ts'
import { parseJson } from '../../bundle/json.ts'

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

/**
 * The canonical file, null without entries: keys in code-unit order.
 * @param members of entries, in their order; by default all, as they stand
 */
export function renderEntries(entries: ReadonlyMap<string, unknown>, members: string[] | null = null): Buffer | null {
  if (entries.size === 0) return null
  const lines = [...entries.keys()].sort().map(key => {
    return `  ${JSON.stringify(key)}: ${JSON.stringify(entries.get(key), members, 2).replaceAll('\n', '\n  ')}`
  })
  return Buffer.from(`{\n${lines.join(',\n')}\n}\n`)
}

/** The entries of several files in one, null without entries; the last file counts where they differ. */
export const mergeEntries = ({ files }: { files: readonly Uint8Array[] }): { file: Buffer | null } => ({
  file: renderEntries(new Map(files.flatMap(file => [...entriesIn(file)]))),
})
