/**
 * Protects packs during a merge by a second name. git removes the old ones before it syncs the folder of the new one,
 * so that a power cut may leave neither.
 */
import { existsSync } from 'node:fs'
import { link, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, createInside, syncFolder } from '../disk.ts'

const PACK = /^pack-[0-9a-f]{40}\.pack$/
const packsOf = (gitDir: string) => join(gitDir, 'objects', 'pack')
const keptIn = (gitDir: string) => join(gitDir, 'parlance', 'merging')

/** Gives every pack a second name. @throws Error when the disk refuses */
export async function linkOldPacks(gitDir: string): Promise<void> {
  await createInside(keptIn(gitDir))
  await linkPacks(packsOf(gitDir), keptIn(gitDir))
  await syncFolder(join(gitDir, 'parlance'))
}

/** Once git has ended: syncs its work and removes the second names. */
export async function dropOldPacks(gitDir: string): Promise<void> {
  await syncFolder(packsOf(gitDir))
  await rm(keptIn(gitDir), { recursive: true, force: true })
}

/** Puts packs back after a power cut, kill or failure; already merged objects are then in two packs. */
export async function restoreOldPacks(gitDir: string): Promise<void> {
  if (!existsSync(keptIn(gitDir))) return
  await linkPacks(keptIn(gitDir), packsOf(gitDir))
  await dropOldPacks(gitDir)
}

/** Whole packs alone: a kill leaves a half. The index comes last, as it shows a pack to readers. */
async function linkPacks(from: string, to: string): Promise<void> {
  const names = new Set(await readdir(from))
  const packs = [...names].filter(name => PACK.test(name)).map(name => name.slice(0, -'.pack'.length))
  const whole = packs.filter(pack => names.has(`${pack}.idx`))
  for (const name of [...whole.map(pack => `${pack}.pack`), ...whole.map(pack => `${pack}.idx`)]) {
    await link(join(from, name), join(to, name)).catch(error => {
      // Another git may have removed it.
      if (codeOf(error) !== 'EEXIST' && codeOf(error) !== 'ENOENT') throw error
    })
  }
  if (whole.length > 0) await syncFolder(to)
}
