/** What git's own objects and branch hold of an organization, for whoever only looks: nothing is locked, recovered or written, and a server may run beside it. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf } from '../bundle/project.ts'
import { codeOf } from './disk.ts'
import { ObjectReader } from './objects/objects.ts'
import { ObjectCache, Objects, readHead, type Snapshot, StateSnapshot } from './snapshot.ts'
import { readRef } from './write/recover.ts'

/** Small, since whoever only looks goes through everything once. */
const CACHE_BYTES = 16 * 1024 * 1024

/** Runs `use` on the state of the branch. @throws Error when the branch or its commit cannot be read */
export async function readSealed<T>(workTree: string, use: (snapshot: Snapshot) => T | Promise<T>): Promise<T> {
  const gitDir = join(workTree, '.git')
  const reader = new ObjectReader(gitDir)
  try {
    const objects = new Objects(reader, new ObjectCache(CACHE_BYTES))
    return await use(new StateSnapshot(objects, readHead(objects, await readRef(gitDir))))
  } finally {
    reader.close()
  }
}

/** How many projects the branch has. @throws Error as {@link readSealed} does */
export function countProjects(workTree: string): Promise<number> {
  return readSealed(workTree, snapshot => {
    const folders = snapshot.list('').filter(({ kind }) => kind === 'tree')
    const files = folders.map(({ name }) => `${name}/project.json`)
    return files.filter(path => placeOf(path) !== undefined && snapshot.entry(path) !== undefined).length
  })
}

/** What a folder and everything in it takes on the disk, in bytes; 0 when it is not there. What vanishes meanwhile counts or not. */
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
