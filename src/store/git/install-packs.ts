/** Moves packs that git has made into a repository and removes those that they replace, so that a crash at any moment loses nothing. */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFile, renameFile, syncFolder } from '../disk.ts'
import type { PackIndex } from '../objects/pack-index.ts'
import { syncMade } from './workshop.ts'

const HEADER = 12
const CHECKSUM = 20

/**
 * What is to happen: `made`, by name, lies in the workshop and holds every object of `old`.
 * @param signal ends it before anything is moved
 * @throws Error when a pack is damaged or the disk refuses: `old` is untouched then, or gone in part with `made` in its place
 */
export async function installPacks(
  shop: string,
  folder: string,
  { made, old }: { made: ReadonlyMap<string, PackIndex>; old: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const from = join(shop, 'pack')
  const files = await readdir(from)
  const ofMade = (extension: string) =>
    [...made.keys()].map(name => name + extension).filter(file => files.includes(file))
  const packs = ofMade('.pack')
  const [reverse, indexes, bitmaps] = [ofMade('.rev'), ofMade('.idx'), ofMade('.bitmap')]
  for (const [name, index] of made) await check(join(from, `${name}.pack`), index)
  for (const file of [...packs, ...reverse, ...indexes, ...bitmaps]) {
    signal.throwIfAborted()
    await syncMade(join(from, file))
  }
  signal.throwIfAborted()
  const move = async (moved: string[]) => {
    for (const file of moved) await renameFile(join(from, file), join(folder, file))
    await syncFolder(folder)
  }
  // Git sees a pack once its index is there.
  await move([...packs, ...reverse])
  await move(indexes)
  const present = await readdir(folder)
  const obsolete = old.filter(name => !made.has(name) && !present.includes(`${name}.keep`))
  // It names packs, and git complains about those that it misses.
  for (const file of present) if (file.startsWith('multi-pack-index')) await removeFile(join(folder, file))
  // Git takes but one bitmap, and complains about a second.
  for (const name of obsolete) await removeFile(join(folder, `${name}.bitmap`))
  await move(bitmaps)
  for (const name of obsolete) {
    // A recovery removes an index without its pack at once, and a pack without its index only when nobody can be at work on it.
    for (const extension of ['.pack', '.idx', '.rev']) await removeFile(join(folder, name + extension))
  }
  await syncFolder(folder)
}

/**
 * Removes loose objects that one of the packs holds too, such as tags and what people committed.
 * @param objects the repository's object folder
 */
export async function removeLooseCopies(objects: string, packs: readonly PackIndex[]): Promise<void> {
  for (const folder of (await readdir(objects)).filter(name => /^[0-9a-f]{2}$/.test(name))) {
    for (const file of (await readdir(join(objects, folder))).filter(name => /^[0-9a-f]{38}$/.test(name))) {
      const id = Buffer.from(folder + file, 'hex')
      if (packs.some(pack => pack.find(id) !== undefined)) await removeFile(join(objects, folder, file))
    }
  }
}

/** That the pack is the one which the index was made for, and whole. */
async function check(path: string, index: PackIndex): Promise<void> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer: header } = await file.read(Buffer.alloc(HEADER), 0, HEADER, 0)
    const { buffer: checksum } = await file.read(Buffer.alloc(CHECKSUM), 0, CHECKSUM, size - CHECKSUM)
    if (header.readUInt32BE(8) !== index.count || !checksum.equals(index.packChecksum)) {
      throw new Error(`${path} is not the pack of its index`)
    }
  } finally {
    await file.close()
  }
}
