/**
 * Keeps packs through a merge by a second name: git removes the old ones before it syncs the folder of the new one, so
 * that a power cut may leave neither.
 */
import { link, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, makeFolder, syncFolder } from '../disk.ts'

const packsOf = (gitDir: string) => join(gitDir, 'objects', 'pack')
const keptIn = (gitDir: string) => join(gitDir, 'parlance', 'merging')

/** Gives every pack a second name. @throws Error when the disk refuses */
export async function keepPacks(gitDir: string): Promise<void> {
  await makeFolder(keptIn(gitDir))
  await linkPacks(packsOf(gitDir), keptIn(gitDir))
  await syncFolder(join(gitDir, 'parlance'))
}

/** Once git has ended: makes its work durable and removes the second names. */
export async function releasePacks(gitDir: string): Promise<void> {
  await syncFolder(packsOf(gitDir))
  await rm(keptIn(gitDir), { recursive: true, force: true })
}

/** Puts packs back after a power cut, kill or failure; already merged objects are then in two packs. */
export async function putPacksBack(gitDir: string): Promise<void> {
  await linkPacks(keptIn(gitDir), packsOf(gitDir))
  await releasePacks(gitDir)
}

/** The index comes last: it shows a pack to readers. */
async function linkPacks(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(error => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  for (const kind of [/^pack-[0-9a-f]{40}\.pack$/, /^pack-[0-9a-f]{40}\.idx$/]) {
    for (const name of names.filter(name => kind.test(name))) {
      await link(join(from, name), join(to, name)).catch(error => {
        // Somebody's git may have removed it.
        if (codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOENT') throw error
      })
    }
  }
  if (names.length > 0) await syncFolder(to)
}
