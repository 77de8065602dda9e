/** Merges packs: git makes the new one in a workshop, this process checks that nothing is lacking, moves it in and removes the old ones. */
import { readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { PackIndex } from '../objects/pack-index.ts'
import { gitVersion, isAtLeast } from './git.ts'
import { installPacks, removeLooseCopies } from './install-packs.ts'
import type { Plan } from './pack-list.ts'
import { Workshop } from './workshop.ts'

const ID_BYTES = 20
/** Bytes of an index, and of what else comes with a pack, for each object. */
const INDEX_BYTES = 40
/** Room on the disk that is left to the writers, in bytes: what may wait in their journals. */
const SPARE_ROOM = 128 * 1024 * 1024
/** For how long indexes are compared in one turn of the event loop. */
const TURN_MS = 1
/** The first git that takes names of packs in place of the ids in them, which finds better deltas in half the time. */
const TAKES_PACKS = [2, 32] as const
const PACK = ['pack-objects', '--progress', '--delta-base-offset', '--non-empty']

/**
 * Carries out a plan. Packs that come meanwhile stay as they are. No object is dropped, reachable or not: what nothing refers
 * to may have been acknowledged and be about to.
 * @throws Error when git fails or the disk refuses or has too little room: the packs are as they were then, or an object is in
 * two of them
 */
export async function repack(gitDir: string, plan: Plan, signal: AbortSignal): Promise<void> {
  const folder = join(gitDir, 'objects', 'pack')
  await requireRoom(folder, plan.packs)
  const shop = await Workshop.open(gitDir, signal)
  const old: PackIndex[] = []
  const made = new Map<string, PackIndex>()
  try {
    for (const { name } of plan.packs) {
      old.push(new PackIndex(join(folder, `${name}.idx`)))
      // Files that nobody has read for long take their time.
      await yieldToOthers()
    }
    await makePacks(shop, plan, { old, made }, signal)
    await installPacks(shop.objects, folder, { made, old: plan.packs.map(({ name }) => name) }, signal)
    if (plan.kind === 'full') await removeLooseCopies(join(gitDir, 'objects'), [...made.values()])
  } finally {
    for (const index of [...old, ...made.values()]) index.closeAside()
    await shop.close()
  }
}

/** Makes packs that hold every object of the old ones, and opens their indexes. */
async function makePacks(
  shop: Workshop,
  { kind, packs }: Plan,
  { old, made }: { old: PackIndex[]; made: Map<string, PackIndex> },
  signal: AbortSignal,
): Promise<void> {
  const missing = () => idsOutside(old, [...made.values()], signal)
  const ofIds = async () => shop.run([...PACK, shop.packs], lines(missing()))
  const byName = isAtLeast(await gitVersion(), TAKES_PACKS)
  if (kind === 'full') await shop.run([...PACK, '--all', '--write-bitmap-index', shop.packs])
  else if (byName)
    await shop.run([...PACK, '--stdin-packs', shop.packs], packs.map(({ name }) => `${name}.pack\n`).join(''))
  else await ofIds()
  await openMade(shop, made)
  if (!(await any(missing()))) return
  // What nothing refers to gets a pack of its own, so that the one with the bitmap holds what clones ask for.
  await ofIds()
  await openMade(shop, made)
  if (await any(missing())) throw new Error('git left objects out of the packs that it made')
}

/** A repack writes everything once more before it removes anything; a full disk would stop the writers. */
async function requireRoom(folder: string, packs: Plan['packs']): Promise<void> {
  const need = packs.reduce((sum, { bytes, objects }) => sum + bytes + objects * INDEX_BYTES, SPARE_ROOM)
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < need) {
    throw new Error('the disk has too little room left to merge packs')
  }
}

async function openMade(shop: Workshop, made: Map<string, PackIndex>): Promise<void> {
  const folder = join(shop.objects, 'pack')
  for (const file of await readdir(folder)) {
    const name = /^(pack-[0-9a-f]{40})\.idx$/.exec(file)?.[1]
    if (name !== undefined && !made.has(name)) made.set(name, new PackIndex(join(folder, file)))
  }
}

/**
 * The ids in `packs` that are in none of `others`, without repetition, 20 bytes each: those with the same first byte at a
 * time, so that a million objects take little memory; and others have their turn after each millisecond of it.
 */
async function* idsOutside(
  packs: readonly PackIndex[],
  others: readonly PackIndex[],
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  let turnEnds = 0
  for (let first = 0; first < 256; first++) {
    const seen = new Set<string>()
    for (const other of others) for (const id of split(other.idsFrom(first))) seen.add(id)
    const found: string[] = []
    for (const pack of packs) {
      if (performance.now() >= turnEnds) {
        await yieldToOthers()
        signal.throwIfAborted()
        turnEnds = performance.now() + TURN_MS
      }
      for (const id of split(pack.idsFrom(first))) {
        if (seen.has(id)) continue
        seen.add(id)
        found.push(id)
      }
    }
    if (found.length > 0) yield found
  }
}

/** As strings of bytes, which cost half as much as hexadecimal ones. */
function* split(ids: Buffer): Generator<string> {
  for (let at = 0; at < ids.length; at += ID_BYTES) yield ids.toString('latin1', at, at + ID_BYTES)
}

async function any(groups: AsyncGenerator<string[]>): Promise<boolean> {
  for await (const _ of groups) return true
  return false
}

function lines(groups: AsyncGenerator<string[]>): Readable {
  return Readable.from(groups, { objectMode: true, highWaterMark: 1 }).map((ids: string[]) =>
    ids.map(id => `${Buffer.from(id, 'latin1').toString('hex')}\n`).join(''),
  )
}
