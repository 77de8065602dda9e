/** Reads git's objects and branch beside a running server: no lock, recovery or write. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ownFile } from '../project/project.ts'
import { codeOf } from './disk.ts'
import { readCommit } from './objects/commit.ts'
import { ObjectReader } from './objects/objects.ts'
import { readBranch } from './refs/read-refs.ts'
import { ObjectCache, Objects, readHead, type Snapshot, StateSnapshot } from './snapshot.ts'
import { JOURNAL_PREFIX, readJournal } from './write/journal.ts'

/** Small: such a reader goes through everything once. */
const CACHE_BYTES = 16 * 1024 * 1024

/** @throws Error when the branch or its commit cannot be read */
async function readSealed<T>(workTree: string, use: (snapshot: Snapshot) => T | Promise<T>): Promise<T> {
  const gitDir = join(workTree, '.git')
  const reader = new ObjectReader(gitDir)
  try {
    const objects = new Objects(reader, new ObjectCache(CACHE_BYTES))
    return await use(new StateSnapshot(objects, readHead(objects, await readBranch(gitDir))))
  } finally {
    reader.close()
  }
}

/** How many projects the branch has. @throws Error as {@link readSealed} does */
export function countProjects(workTree: string): Promise<number> {
  return readSealed(workTree, snapshot => {
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

/** Far more commits than a server makes between two looks at the branch. */
const MOST_COMMITS = 20_000
const APART_MS = 100

/**
 * Waits until the branch holds all that a running server has acknowledged, within a second.
 * @returns false when it does not within `mostMs`
 */
export async function waitForSeal(workTree: string, signal: AbortSignal, mostMs = 10_000): Promise<boolean> {
  const gitDir = join(workTree, '.git')
  const newest = await newestAcknowledged(gitDir)
  if (newest === undefined) return true
  const reader = new ObjectReader(gitDir)
  try {
    for (
      const until = performance.now() + mostMs;
      performance.now() < until;
      await pause(APART_MS, undefined, { signal })
    ) {
      if (reader.has(newest) && holds(reader, await readBranch(gitDir), newest)) return true
    }
    return false
  } finally {
    reader.close()
  }
}

async function newestAcknowledged(gitDir: string): Promise<string | undefined> {
  const folder = join(gitDir, 'parlance')
  const names = readdirSync(folder).filter(name => name.startsWith(JOURNAL_PREFIX))
  const journals = (await Promise.all(names.map(name => readJournal(join(folder, name))))).filter(
    one => one !== undefined,
  )
  journals.sort((a, b) => a.epoch - b.epoch)
  return journals.at(-1)?.commits.at(-1)?.after
}

function holds(reader: ObjectReader, branch: string | null, wanted: string): boolean {
  let commit = branch
  for (let steps = 0; commit !== null && steps < MOST_COMMITS; steps++) {
    if (commit === wanted) return true
    const object = reader.read(commit)
    commit = (object?.type === 'commit' && readCommit(object.bytes).parents[0]) || null
  }
  return false
}
