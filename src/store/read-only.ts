/** Reads git's objects and branch beside a running server: no lock, recovery or write. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ownFile } from '../project/project.ts'
import { byteCache } from '../scheduling/byte-cache.ts'
import { codeOf } from './disk.ts'
import { ObjectReader } from './objects/objects.ts'
import { readBranch } from './refs/read-refs.ts'
import { Objects, readHead, StateSnapshot } from './snapshot.ts'
import { isAncestor } from './write/ancestors.ts'
import { inspectJournals } from './write/inspect-journal.ts'

/** Small: such a reader goes through everything once. */
const CACHE_BYTES = 16 * 1024 * 1024

/** Runs `use` on a repository's objects. @throws Error as `use` does */
export async function withObjects<T>(gitDir: string, use: (objects: Objects) => Promise<T>): Promise<T> {
  const reader = new ObjectReader(gitDir)
  try {
    return await use(new Objects(reader, byteCache(CACHE_BYTES)))
  } finally {
    reader.close()
  }
}

/** How many projects the branch has. @throws Error when the branch or its commit cannot be read */
export function countProjects(workTree: string): Promise<number> {
  const gitDir = join(workTree, '.git')
  return withObjects(gitDir, async objects => {
    const snapshot = new StateSnapshot(objects, readHead(objects, await readBranch(gitDir)))
    const folders = snapshot.list('').filter(({ kind }) => kind === 'tree')
    const files = folders.map(({ name }) => `${name}/project.json`)
    return files.filter(path => ownFile(path) !== undefined && snapshot.entry(path) !== undefined).length
  })
}

/** Bytes of a folder and its content on the disk; 0 when missing. */
export function sizeOnDisk(folder: string): number {
  let bytes = 0
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    try {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        const path = join(next, entry.name)
        if (entry.isDirectory()) waiting.push(path)
        const stats = lstatSync(path, { throwIfNoEntry: false })
        // Not every system counts blocks.
        bytes += stats === undefined ? 0 : stats.blocks === undefined ? stats.size : stats.blocks * 512
      }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
    }
  }
  return bytes
}

const APART_MS = 100
/** For a busy server, or one that has ended. */
const SEALED_MS = 10_000

/**
 * Waits until the branch holds all that a running server has acknowledged, within a second.
 * @returns false when it does not within ten
 */
export async function waitForSeal(workTree: string, signal: AbortSignal): Promise<boolean> {
  const gitDir = join(workTree, '.git')
  const journals = await inspectJournals(gitDir)
  const newest = journals.flatMap(({ commits }) => commits).at(-1)?.after
  if (newest === undefined) return true
  return withObjects(gitDir, async objects => {
    const until = performance.now() + SEALED_MS
    for (; performance.now() < until; await pause(APART_MS, undefined, { signal })) {
      if (objects.has(newest) && (await isAncestor(newest, await readBranch(gitDir), objects))) return true
    }
    return false
  })
}
