/** Merges packs and writes the commit-graph with the system's git. Neither that nor a kill ever drops an object. */
import { existsSync, readlinkSync, realpathSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { link, readdir, readFile, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, createInside, ifThere, removeFile, syncFolder } from '../disk.ts'
import { FRUGAL, runIn } from './git.ts'

/** A pack's numbers, by its files. */
export interface PackStats {
  objects: number
  bytes: number
  /** Milliseconds since 1970. */
  mtimeMs: number
  /** Whether it has a bitmap: clones then need a fraction of the time and memory. */
  bitmap: boolean
}

/** `merge` some packs into one, or build one `full` pack of everything, with a bitmap. */
export interface RepackPlan {
  kind: 'merge' | 'full'
  packs: PackStats[]
}

export const PACE = {
  /** More packs are merged even while people write. */
  packs: 50,
  /** More packs are merged while no client writes. */
  idlePacks: 10,
  /** A repository with more objects needs a bitmap; with ten times as many it waits for no pause. */
  bitmapFrom: 10_000,
}

const FACTOR = 2
const PRESSING = 10
/** Share of objects that a bitmap covers; a clone's memory grows with the rest. */
const COVERED = 1 / 2
const COVERED_IDLE = 3 / 4
/** Bytes of an index (gitformat-pack(5)): once, and per object. */
const INDEX_BYTES = 1072
const INDEX_ENTRY_BYTES = 28
/** Bytes on the disk left to the writers: what may wait in their journals. */
const SPARE_ROOM = 128 * 1024 * 1024
/** Enough for tens of millions of objects; a slower git hangs. */
const LONGEST_MS = 3_600_000
const ERROR_LENGTH = 300
/** Linux shows a process's working folder. */
const OWN_FOLDER = '/proc/self/cwd'
/** Names the running git's process, for a later server. */
const NOTE = 'maintenance'
/** What a killed git leaves: unfinished files and locks. */
const UNFINISHED = /^(?:tmp_|\.tmp-\d+-pack-|bitmap-ref-tips_)|\.lock$/

/** A pack's file. */
const PACK = /^pack-[0-9a-f]{40}\.pack$/
const packsOf = (gitDir: string) => join(gitDir, 'objects', 'pack')
const keptIn = (gitDir: string) => join(gitDir, 'parlance', 'merging')

/**
 * The packs that git may merge: none with a person's `.keep`, none of unreachable objects (`.mtimes`), and none of a
 * partial clone, for which git would fetch what it lacks.
 */
export async function listPacks(gitDir: string): Promise<PackStats[]> {
  const folder = packsOf(gitDir)
  const files = new Set(await readdir(folder))
  const packs: PackStats[] = []
  for (const file of files) {
    const name = /^(pack-[0-9a-f]{40})\.idx$/.exec(file)?.[1]
    if (file.endsWith('.promisor')) return []
    if (name === undefined || files.has(`${name}.keep`) || files.has(`${name}.mtimes`)) continue
    const stats = await ifThere(Promise.all([stat(join(folder, `${name}.pack`)), stat(join(folder, file))]))
    if (stats === undefined) continue
    const [pack, index] = stats
    const objects = Math.floor((index.size - INDEX_BYTES) / INDEX_ENTRY_BYTES)
    packs.push({ objects, bytes: pack.size, mtimeMs: pack.mtimeMs, bitmap: files.has(`${name}.bitmap`) })
  }
  return packs
}

/**
 * What to do about these packs, if anything. The largest is rewritten when the others hold half as many objects, so an
 * object is written about as often as the repository doubles.
 * @param idle whether no client has written for a while
 */
export function planRepack(packs: readonly PackStats[], idle: boolean, pace: typeof PACE): RepackPlan | undefined {
  const sorted = [...packs].sort((a, b) => a.objects - b.objects)
  const many = sorted.length > (idle ? pace.idlePacks : pace.packs)
  const objects = sorted.reduce((sum, pack) => sum + pack.objects, 0)
  const covered = sorted.findLast(pack => pack.bitmap)?.objects ?? 0
  const bare = objects >= pace.bitmapFrom && covered < objects * (idle ? COVERED_IDLE : COVERED)
  const pressing = bare && (idle || objects >= PRESSING * pace.bitmapFrom)
  if (!many && !pressing) return undefined
  const small = sorted.slice(0, bare ? sorted.length : unbalanced(sorted))
  if (small.length === sorted.length) return { kind: 'full', packs: small }
  return small.length > 1 ? { kind: 'merge', packs: small } : undefined
}

/**
 * How many of the smallest packs `git repack --geometric=2` merges: each pack has twice the objects of the next.
 * @param sorted the smallest first
 */
function unbalanced(sorted: readonly PackStats[]): number {
  const objects = sorted.map(pack => pack.objects)
  let count = objects.findLastIndex((size, index) => index > 0 && size < FACTOR * objects[index - 1]!) + 1
  let sum = objects.slice(0, count).reduce((total, size) => total + size, 0)
  while (count > 0 && count < objects.length && objects[count]! < FACTOR * sum) sum += objects[count++]!
  return count
}

/**
 * Carries out a plan. No object is dropped: an unreachable one may be acknowledged and about to be referred to.
 * @throws Error when git fails, or the disk refuses or has too little room; some objects may then be in two packs
 */
export async function repack(gitDir: string, { kind, packs }: RepackPlan, signal: AbortSignal): Promise<void> {
  // Everything is written again before anything is removed; a full disk would stop the writers.
  const need = packs.reduce((sum, { bytes, objects }) => sum + bytes + objects * INDEX_ENTRY_BYTES, SPARE_ROOM)
  const { bavail, bsize } = await statfs(gitDir)
  if (bavail * bsize < need) throw new Error('the disk has too little room left to merge packs')
  const how = kind === 'full' ? ['-a', '-b', '--keep-unreachable'] : [`--geometric=${FACTOR}`]
  await linkOldPacks(gitDir)
  await work(gitDir, ['repack', '-d', '-n', '-q', ...how], signal)
  await dropOldPacks(gitDir)
}

/**
 * Gives every pack a second name. git removes the old packs before it syncs the folder of the new one, so that a power
 * cut may leave neither.
 * @throws Error when the disk refuses
 */
async function linkOldPacks(gitDir: string): Promise<void> {
  await createInside(keptIn(gitDir))
  await linkPacks(packsOf(gitDir), keptIn(gitDir))
  await syncFolder(join(gitDir, 'parlance'))
}

/** Once git has ended: syncs its work and removes the second names. */
async function dropOldPacks(gitDir: string): Promise<void> {
  await syncFolder(packsOf(gitDir))
  await rm(keptIn(gitDir), { recursive: true, force: true })
}

/** Puts packs back after a power cut, kill or failure; already merged objects are then in two packs. */
async function restoreOldPacks(gitDir: string): Promise<void> {
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

/** The commit-graph's chain (git-commit-graph(1)); its changed-path filters speed up one file's history. */
const chainOf = (gitDir: string) => join(gitDir, 'objects', 'info', 'commit-graphs', 'commit-graph-chain')

/** Objects that came since the graph was last written, by the times of their packs. */
export async function objectsOutside(gitDir: string, packs: readonly PackStats[]): Promise<number> {
  const written = await stat(chainOf(gitDir)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  return packs.reduce((sum, { objects, mtimeMs }) => (mtimeMs > written ? sum + objects : sum), 0)
}

/** Brings the commit-graph up to the refs. @throws Error when git fails; the graph then stays */
export async function writeCommitGraph(gitDir: string, signal: AbortSignal): Promise<void> {
  const began = new Date()
  // A single-file graph, written by a person's git, may lack filters.
  const anew = existsSync(join(gitDir, 'objects', 'info', 'commit-graph'))
  const split = anew ? '--split=replace' : '--split'
  await work(gitDir, ['commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress', split], signal)
  // Later commits must count as outside.
  await utimes(chainOf(gitDir), began, began).catch(() => {})
}

/** Runs git at low priority; `core.fsync` syncs its new files before these replace anything. */
async function work(gitDir: string, argv: string[], signal: AbortSignal): Promise<void> {
  const safely = ['-c', 'core.fsync=all', '-c', 'pack.packSizeLimit=0', '-c', 'core.commitGraph=true']
  const note = join(gitDir, 'parlance', NOTE)
  writeFileSync(note, '')
  // Before git begins: what is older than the note is not git's.
  const { mtime } = statSync(note)
  const { code, errors } = await runIn(gitDir, [...FRUGAL, ...safely, ...argv], {
    gently: true,
    inBackground: true,
    signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
    started: id => {
      writeFileSync(note, `${id}\n`)
      utimesSync(note, mtime, mtime)
    },
  })
  if (code === 0) await removeFile(note)
  else await clearUnfinished(gitDir, true)
  signal.throwIfAborted()
  if (code !== 0) throw new Error(`git ${argv[0]} ended with ${code}: ${errors.trim().slice(-ERROR_LENGTH)}`)
}

/**
 * Removes what a killed git left, and puts back what it was to replace.
 * @param ended whether it is known to have ended; else a git that outlived its server may still be at work
 * @returns whether no git is at work any more
 */
export async function clearUnfinished(gitDir: string, ended = false): Promise<boolean> {
  const note = join(gitDir, 'parlance', NOTE)
  const since = await changedAt(note)
  if (since === undefined) {
    await restoreOldPacks(gitDir)
    return true
  }
  if (!ended && (await isMaintained(gitDir))) return false
  for (const folder of ['objects', 'objects/pack', 'objects/info', 'objects/info/commit-graphs']) {
    for (const name of await readdir(join(gitDir, folder)).catch(() => [])) {
      const path = join(gitDir, folder, name)
      // What is older is a person's.
      if (UNFINISHED.test(name) && ((await changedAt(path)) ?? 0) >= since) await removeFile(path)
    }
  }
  await restoreOldPacks(gitDir)
  await removeFile(note)
  return true
}

/** Whether a git merges or writes the commit-graph, even one that outlived its server. */
export async function isMaintained(gitDir: string): Promise<boolean> {
  const note = join(gitDir, 'parlance', NOTE)
  const since = await changedAt(note)
  if (since === undefined || Date.now() - since > LONGEST_MS) return false
  return isAtWork(gitDir, Number(await readFile(note, 'latin1').catch(() => '')))
}

/** Whether the process is at work in the repository; another program may have got its number since. */
function isAtWork(gitDir: string, id: number): boolean {
  try {
    if (existsSync(OWN_FOLDER)) return readlinkSync(`/proc/${id}/cwd`) === realpathSync(gitDir)
    return id > 0 && process.kill(id, 0)
  } catch {
    return false
  }
}

/** Milliseconds since 1970; undefined without such a file. */
async function changedAt(path: string): Promise<number | undefined> {
  return (await ifThere(stat(path)))?.mtimeMs
}
