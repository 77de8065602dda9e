/** Brings a pack into a repository with the ref that leads to it, also while a person's git throws away unreachable objects. */
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, removeFile, replaceFile, syncFolder, writeFile } from '../disk.ts'
import { hashObject, type ObjectType } from './object.ts'
import { PackBuilder } from './pack-builder.ts'

/** What our `.keep` files hold: a person's own hold something else, or nothing. */
const OURS = Buffer.from('parlance\n')
/** Not `tmp_`, which a person's `git prune` removes. The second name is that of earlier versions. */
const UNFINISHED = /^(?:parlance-pack-.*\.tmp$|tmp_parlance_)/

/** Whether a file in the pack folder is one that {@link publishPack} has not finished. */
export const isUnfinishedPack = (file: string): boolean => UNFINISHED.test(file)

/**
 * Writes a pack and its index so that they survive power loss, then runs `publish`, which sets the ref.
 * Until that has ended a `.keep` (git-repack(1)) lies beside the pack: `git gc --prune=now` and `git repack -ad` look for packs before
 * they look at refs, and would take it away as unreachable. One that a kill leaves behind is for {@link removeOwnKeeps}.
 * @param as what it is called, by default after its content
 * @throws Error when the disk refuses, and as `publish` does; the `.keep` stays then, for whoever tries again
 */
export async function publishPack(
  gitDir: string,
  builder: PackBuilder,
  publish: () => Promise<void>,
  as?: string,
): Promise<void> {
  const { name, pack, index } = await builder.finishAsync()
  const folder = join(gitDir, 'objects', 'pack')
  const stem = join(folder, as ?? name)
  const temporary = join(folder, `parlance-${as ?? name}.tmp`)
  await writeFile(`${stem}.keep`, OURS)
  // The pack is renamed first: git ignores a pack without an index, and complains about an index without its pack.
  await replaceFile(`${stem}.pack`, pack, temporary)
  await replaceFile(`${stem}.idx`, index, temporary)
  await syncFolder(folder)
  await publish()
  // It would only keep the pack from being merged, until the next start.
  await removeFile(`${stem}.keep`).catch(() => {})
}

/**
 * Makes sure that an object outlives a change of the refs that lead to it: it lies in a pack of its own meanwhile.
 * @param publish is given its id
 */
export async function publishObject(
  gitDir: string,
  type: ObjectType,
  bytes: Buffer,
  publish: (id: string) => Promise<void>,
): Promise<string> {
  const id = hashObject(type, bytes)
  const builder = new PackBuilder()
  builder.add(type, id, bytes)
  // Never a name of before: a repack that has seen that pack without a `.keep` may be about to remove it.
  await publishPack(gitDir, builder, () => publish(id), `pack-${randomBytes(20).toString('hex')}`)
  return id
}

/** Removes the `.keep` files that a killed server left; call it once the branch holds all that was acknowledged. */
export async function removeOwnKeeps(gitDir: string): Promise<void> {
  const folder = join(gitDir, 'objects', 'pack')
  for (const name of await readdir(folder)) if (await isOwnKeep(folder, name)) await removeFile(join(folder, name))
}

/** Whether a file in the pack folder is a `.keep` of the server's. */
export async function isOwnKeep(folder: string, name: string): Promise<boolean> {
  if (!name.endsWith('.keep')) return false
  return readFile(join(folder, name)).then(
    bytes => bytes.equals(OURS),
    error => {
      if (codeOf(error) === 'ENOENT') return false
      throw error
    },
  )
}
