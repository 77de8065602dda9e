/** Files that were deleted here, and whose bundles the server still has. */
import { counted } from '../terminal/table.ts'
import type { Compared } from './compare.ts'

/** Paths that a sentence names. */
const MOST_NAMED = 10

/** Those of a comparison that the server still has. */
export const goneIn = (bundles: readonly Compared[]): Compared[] =>
  bundles.filter(({ isGone, merged }) => isGone && merged.deleted.length > 0)

/** For a person; empty without any. @param remedy what deletes them there */
export function goneText(bundles: readonly Compared[], remedy: string): string[] {
  const gone = goneIn(bundles)
  if (gone.length === 0) return []
  const named = gone.slice(0, MOST_NAMED).map(({ file, name }) => `${file.path} (${name})`)
  const more = gone.length > MOST_NAMED ? ` and ${gone.length - MOST_NAMED} more` : ''
  return [
    `Deleted here, and still on the server: ${counted(gone.length, 'file')}, ${named.join(', ')}${more}. ${remedy}`,
  ]
}
