/** Files that were deleted here while the server still has their bundles. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobId } from '../../bundle/canonical.ts'
import type { Format } from '../../bundle/names.ts'
import type { LocalFile } from '../local/local-bundle.ts'
import type { LocalProject } from '../local/types.ts'
import { counted, shortList } from '../terminal/table.ts'
import type { ComparedBundle } from './compare.ts'
import { at, idsOf, type Repository, reader, versionsOf } from './git-texts.ts'

export const goneIn = (bundles: readonly ComparedBundle[]): ComparedBundle[] =>
  bundles.filter(({ isGone, merged }) => isGone && merged.deleted.length > 0)

/** A sentence about deleted files; empty without any. @param remedy how to delete them on the server */
export function goneText(bundles: readonly ComparedBundle[], remedy: string): string[] {
  const gone = goneIn(bundles)
  if (gone.length === 0) return []
  const named = shortList(gone.map(({ file, name }) => `${file.path} (${name})`))
  return [`Deleted here, and still on the server: ${counted(gone.length, 'file')}, ${named}. ${remedy}`]
}

/**
 * Namespaces of a merged file that only a discarded pull had. No commit has them, and git restored the file: they do
 * not count as deleted.
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
export const deletedIn = (bundles: readonly ComparedBundle[]): number =>
  bundles.reduce((sum, { merged }) => sum + new Set(merged.deleted.map(({ key }) => key)).size, 0)
