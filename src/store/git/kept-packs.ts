/**
 * Keeps packs through a merge. Git syncs the new pack but not the folder that it is in before it removes the old ones: a cut of power
 * may leave neither name. Until the folder is synced each pack has a second name in a folder of ours.
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

/** Once git has ended: what it has done is made to last, and the second names go. */
export async function releasePacks(gitDir: string): Promise<void> {
  await syncFolder(packsOf(gitDir))
  await rm(keptIn(gitDir), { recursive: true, force: true })
}

/** Puts back what was kept, after a cut of power, a kill or a failure; what git has merged already is in two packs then. */
export async function putPacksBack(gitDir: string): Promise<void> {
  await linkPacks(keptIn(gitDir), packsOf(gitDir))
  await releasePacks(gitDir)
}

/** A pack is there for readers when its index is: that comes last. */
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
