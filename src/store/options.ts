/** The options of a store and each of its repositories, and a store's load. */

import type { Offload } from '../project/offload.ts'
import type { Background } from '../scheduling/background.ts'
import type { Durations } from './durations.ts'
import type { MaintenancePace, SharedMaintenance } from './git/maintenance.ts'
import type { Logger } from './log.ts'
import type { ObjectCache } from './snapshot.ts'
import type { WorkTree, WorkTreeOptions } from './work-tree/work-tree.ts'
import type { JournalCommit } from './write/journal.ts'
import type { SharedLog } from './write/shared-log.ts'

export interface StoreOptions {
  /** The folder of the organizations' folders; created when missing. */
  directory: string
  /** Milliseconds since 1970; the clock by default. */
  now?: () => number
  log?: Logger
  /** What background work runs in; the store closes its own part. By default one of its own. */
  background?: Background
  /** Limit of the cache of trees and contents of all organizations. 64 MiB by default. */
  cacheBytes?: number
  /** Whether to watch for edits in the work trees; true by default. */
  watch?: boolean
  /** Most organizations open at once (descriptors, watchers, unsealed writes); 200 by default. */
  maxOpen?: number
  /** Milliseconds of disuse after which an organization is closed; ten minutes by default. */
  idleMs?: number
  /** Called after each seal, when the branch on the disk has moved. Must be quick and not throw. */
  onSealed?: (organization: string) => void
  /** Another pace of the maintenance, for tests, or none. */
  maintenance?: Partial<MaintenancePace> | false
  /** How external edits are judged; by default each within a turn of the event loop. */
  compute?: Offload
  /** Called before an external edit adds a project. The edit waits for it, and is retried when it fails. */
  adding?: (organization: string, slug: string) => Promise<void>
  /** Another view of the work tree, for tests of the store alone. */
  createWorkTree?: RepositoryOptions['createWorkTree']
  /** Where batches become durable in place of journals, when several nodes write to the same organizations. */
  sharedLog?: SharedLog | undefined
}

export interface StoreLoad {
  open: number
  queued: number
  unsealed: number
  /** Bytes of the journals with such commits. */
  journalBytes: number
  /** Bytes in the cache of trees and contents. */
  cacheBytes: number
}

/** A repository's place, and what all repositories of a store share. */
export interface RepositoryOptions {
  /** The organization's folder; created when missing, as is its repository. */
  workTree: string
  cache: ObjectCache
  /** Milliseconds since 1970. */
  now: () => number
  log: Logger
  /** What background work runs in; closed with it. */
  background: Background
  createWorkTree: (options: WorkTreeOptions) => RepositoryWorkTree
  compute: Offload
  adding: (slug: string) => Promise<void>
  watch: boolean
  /** Undefined: no maintenance. */
  crew: SharedMaintenance | undefined
  /** See `recover`. */
  until: string | null | undefined
  seals: Durations
  sealed: () => void
  /** Called with commits that became durable, in order, once their writers were answered. */
  committed: (records: JournalCommit[]) => void
  failed: () => void
  /** Whether to open one that the disk lets be read only, with `Repository.failure` set. */
  readable: boolean
  sharedLog: SharedLog | undefined
}

/** What the repository needs of the work tree: {@link WorkTree}, or less in a test. */
export type RepositoryWorkTree = Pick<WorkTree, 'write' | 'reconcile' | 'holdBack' | 'settle' | 'problems' | 'close'>
