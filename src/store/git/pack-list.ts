/** The packs of a repository, and which of them are to become one: by the numbers of their objects, as `git repack --geometric=2` does it. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../disk.ts'
import { PackIndex } from '../objects/pack-index.ts'

/** A pack as its files tell it. */
export interface Pack {
  /** `pack-<40 hex digits>` */
  name: string
  objects: number
  bytes: number
  /** When it was written, in milliseconds since 1970. */
  mtimeMs: number
  /** Whether it has a bitmap, with which a clone takes a fraction of the time and memory. */
  bitmap: boolean
}

/** What is to be done: `merge` some packs into one; or make one `full` pack of everything, with a bitmap. */
export interface Plan {
  kind: 'merge' | 'full'
  packs: Pack[]
}

/** When packs are merged. */
export interface Pace {
  /** More packs than this are merged in the middle of work. */
  packs: number
  /** More packs than this are merged when nobody writes. */
  idlePacks: number
  /** From so many objects on a repository is to have a bitmap; from ten times as many it cannot wait for a pause. */
  bitmapFrom: number
}

const FACTOR = 2
const PRESSING = 10
/** How much of all objects a bitmap is to cover: a clone's memory grows with the rest. More of it when there is time. */
const COVERED = 1 / 2
const COVERED_IDLE = 3 / 4
/** The indexes of so many packs are open at once while they are compared. */
const MOST_AT_ONCE = 256

/**
 * The packs that maintenance may merge. What a person marked with `.keep` is left as it is, and so are git's own packs of
 * unreachable objects (`.mtimes`). A partial clone that somebody put here has no packs to merge: git would fetch what it lacks.
 */
export async function listPacks(gitDir: string): Promise<Pack[]> {
  const folder = join(gitDir, 'objects', 'pack')
  const files = new Set(await readdir(folder))
  const packs: Pack[] = []
  for (const file of files) {
    const name = /^(pack-[0-9a-f]{40})\.idx$/.exec(file)?.[1]
    if (file.endsWith('.promisor')) return []
    if (name === undefined || !files.has(`${name}.pack`)) continue
    if (files.has(`${name}.keep`) || files.has(`${name}.mtimes`)) continue
    const pack = await describe(join(folder, name), name, files.has(`${name}.bitmap`))
    if (pack) packs.push(pack)
  }
  return packs
}

/** Undefined when it has gone meanwhile. */
async function describe(stem: string, name: string, bitmap: boolean): Promise<Pack | undefined> {
  try {
    const { size, mtimeMs } = await stat(`${stem}.pack`)
    const index = new PackIndex(`${stem}.idx`)
    index.close()
    return { name, objects: index.count, bytes: size, mtimeMs, bitmap }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * What to do about these packs, undefined when they are well as they are. The largest is written anew only when the others
 * hold half as many objects: so every object is written about as often as the repository doubles.
 * @param idle whether nobody has written for a while
 */
export function planRepack(packs: readonly Pack[], idle: boolean, pace: Pace): Plan | undefined {
  const sorted = [...packs].sort((a, b) => a.objects - b.objects)
  const many = sorted.length > (idle ? pace.idlePacks : pace.packs)
  const objects = sorted.reduce((sum, pack) => sum + pack.objects, 0)
  const covered = sorted.findLast(pack => pack.bitmap)?.objects ?? 0
  const bare = objects >= pace.bitmapFrom && covered < objects * (idle ? COVERED_IDLE : COVERED)
  const pressing = bare && (idle || objects >= PRESSING * pace.bitmapFrom)
  if (!many && !pressing) return undefined
  const small = sorted.slice(0, bare ? sorted.length : unbalanced(sorted))
  if (small.length > MOST_AT_ONCE) return { kind: 'merge', packs: small.slice(0, MOST_AT_ONCE) }
  if (small.length === sorted.length) return { kind: 'full', packs: small }
  return small.length > 1 ? { kind: 'merge', packs: small } : undefined
}

/**
 * How many of the smallest packs have to become one, so that each pack is at least twice as large as the next smaller one.
 * @param sorted the smallest first
 */
function unbalanced(sorted: readonly Pack[]): number {
  const objects = sorted.map(pack => pack.objects)
  let count = objects.findLastIndex((size, index) => index > 0 && size < FACTOR * objects[index - 1]!) + 1
  let sum = objects.slice(0, count).reduce((total, size) => total + size, 0)
  while (count > 0 && count < objects.length && objects[count]! < FACTOR * sum) sum += objects[count++]!
  return count
}
