import { dirname, join } from 'node:path'
import { createFolder, renameFile, syncFolder } from './disk.ts'

/**
 * Moves `<directory>/<id>` to `deleted/<id>-<UTC time>` beside the directory. The organization must be closed.
 * @param time milliseconds since 1970
 * @returns where it is now
 */
export async function moveToDeleted(directory: string, id: string, time: number): Promise<string> {
  const graveyard = join(dirname(directory), 'deleted')
  await createFolder(graveyard)
  const aside = join(graveyard, `${id}-${new Date(time).toISOString().replace(/[-:.]/g, '')}`)
  await renameFile(join(directory, id), aside)
  await syncFolder(graveyard)
  await syncFolder(directory)
  return aside
}
