/** Files that were deleted here, and whose bundles the server still has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobId } from '../../bundle/canonical.ts'
import type { Format } from '../../bundle/names.ts'
import type { LocalFile, LocalProject } from '../local/types.ts'
import { counted } from '../terminal/table.ts'
import type { Compared } from './compare.ts'
import { at, idsOf, type Repository, reader, versionsOf } from './git-texts.ts'

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

/**
 * Namespaces of a merged file that a pull brought, that no commit has, and that went as git put the file back: that pull
 * was thrown away, and nobody deleted them.
 */
export async function neverCommitted(
  repository: Repository,
  local: LocalProject,
  files: readonly LocalFile[],
  format: Format,
): Promise<Set<LocalFile>> {
  const found = new Set<LocalFile>()
  const read = reader(repository, local, format)
  for (const file of files) {
    const ids = await idsOf(repository, [at('HEAD', file), at('', file)])
    const own = idOf(join(local.root, file.path))
    if (own === undefined || !ids.includes(own)) continue
    const names = (await versionsOf(repository, 'HEAD', [file]))?.get(file.path) ?? []
    const versions = await read(names.map(name => ({ file, name })))
    if (versions.every(bundle => !bundle)) found.add(file)
  }
  return found
}

function idOf(path: string): string | undefined {
  try {
    return blobId(readFileSync(path))
  } catch {
    return undefined
  }
}

/** The number of keys that were deleted here. */
export const deletedIn = (bundles: readonly Compared[]): number =>
  bundles.reduce((sum, { merged }) => sum + new Set(merged.deleted.map(({ key }) => key)).size, 0)
