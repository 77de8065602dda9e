/** Adds a pack with the ref that leads to it, safe from a person's git that removes unreachable objects. */
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere, removeFile, replaceFile, syncFolder, writeFile } from '../disk.ts'
import { hashObject, type ObjectType } from './object.ts'
import { PackBuilder } from './pack-builder.ts'

/** Content of our `.keep` files: a person's hold something else, or nothing. */
const OURS = Buffer.from('parlance\n')
/** Not `tmp_`, which a person's `git prune` removes. The second name is of earlier versions. */
const UNFINISHED = /^(?:parlance-pack-.*\.tmp$|tmp_parlance_)/

export const isUnfinishedPack = (file: string): boolean => UNFINISHED.test(file)

/**
 * Writes a pack and its index so that they survive power loss, then runs `publish`, which sets the ref. Meanwhile a
 * `.keep` (git-repack(1)) lies beside the pack: `git gc --prune=now` and `git repack -ad` list packs before refs and
 * would remove it as unreachable. {@link removeOwnKeeps} removes one that a kill leaves.
 * @param as the pack's name, by default after its content
 * @throws Error when the disk refuses, and as `publish` does; the `.keep` stays for the next try
 */
export async function publishPack(
  gitDir: string,
  builder: PackBuilder,
  publish: () => Promise<void>,
  as?: string,
): Promise<void> {
  const { name, pack, index } = await builder.finish()
  const folder = join(gitDir, 'objects', 'pack')
  const stem = join(folder, as ?? name)
  const temporary = join(folder, `parlance-${as ?? name}.tmp`)
  await writeFile(`${stem}.keep`, OURS)
  // The pack comes first: git ignores a pack without index, but complains about an index without pack.
  await replaceFile(`${stem}.pack`, pack, temporary)
  await replaceFile(`${stem}.idx`, index, temporary)
  await syncFolder(folder)
  await publish()
  // One left over only excludes the pack from merges until the next start.
  await removeFile(`${stem}.keep`).catch(() => {})
}

/** Protects an object, in a pack of its own, while the refs to it change. @param publish is given its id */
export async function publishObject(
  gitDir: string,
  type: ObjectType,
  bytes: Buffer,
  publish: (id: string) => Promise<void>,
): Promise<string> {
  const id = hashObject(type, bytes)
  const builder = new PackBuilder()
  builder.add(type, id, bytes)
  // Always a new name: a repack that saw an old pack of that name without `.keep` may be about to remove it.
  await publishPack(gitDir, builder, () => publish(id), `pack-${randomBytes(20).toString('hex')}`)
  return id
}

/** Removes the `.keep` files of a killed server; call it once the branch holds all that was acknowledged. */
export async function removeOwnKeeps(gitDir: string): Promise<void> {
  const folder = join(gitDir, 'objects', 'pack')
  for (const name of await readdir(folder)) if (await isOwnKeep(folder, name)) await removeFile(join(folder, name))
}

async function isOwnKeep(folder: string, name: string): Promise<boolean> {
  if (!name.endsWith('.keep')) return false
  return (await ifThere(readFile(join(folder, name))))?.equals(OURS) ?? false
}
