/** Sealing: what the ledger holds becomes a git pack; branch and work tree follow. */
import { join } from 'node:path'
import { replaceFile, syncFolder } from '../disk.ts'
import { PackBuilder } from '../objects/pack-builder.ts'
import { type Head, NO_HEAD } from '../snapshot.ts'
import type { JournalCommit } from './journal.ts'

/**
 * Everything acknowledged since the last seal began. Its pack also holds the objects of a batch not yet durable:
 * {@link count} counts or {@link drop} removes them before sealing.
 */
export class SealSegment {
  readonly pack = new PackBuilder()
  /** The newest blob id of every changed path; null for a removed one. */
  readonly changes = new Map<string, string | null>()
  commits = 0
  since = 0
  /** Where its commits lead; meaningless before the first. */
  head: Head = NO_HEAD
  /** Settles when its last batch is durable or dropped. */
  complete: Promise<void> = Promise.resolve()
  /** How many objects of the pack are its commits'. */
  #objects = 0

  /** Counts commits that are durable. */
  count(records: JournalCommit[], head: Head): void {
    for (const { changes } of records) for (const { path, after } of changes) this.changes.set(path, after)
    if (this.commits === 0) this.since = performance.now()
    this.commits += records.length
    this.head = head
    this.#objects = this.pack.count
  }

  /** Drops the objects of a batch without {@link count}. */
  drop(): void {
    this.pack.truncate(this.#objects)
  }
}

/** Moves the branch by another file than `main.lock`, which stays ours: it stops people's `git commit`. */
export async function writeBranch(gitDir: string, commit: string): Promise<void> {
  const heads = join(gitDir, 'refs', 'heads')
  await replaceFile(join(heads, 'main'), `${commit}\n`, join(gitDir, 'parlance', 'ref.tmp'))
  await syncFolder(heads)
}

/** Notes the commit sealed and shown in the work tree: a start then sees whether someone moved the branch. */
export async function writeHead(gitDir: string, commit: string): Promise<void> {
  await replaceFile(join(gitDir, 'parlance', 'head'), `${commit}\n`)
}
