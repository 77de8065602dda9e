/** What a store is opened with, and what it tells of its load. */
import type { Background } from '../background.ts'
import type { JudgeEdit } from '../project/judge.ts'
import type { MaintenancePace } from './git/maintenance.ts'
import type { Logger } from './log.ts'
import type { RepositoryOptions } from './repository.ts'

/** What a store is opened with. */
export interface StoreOptions {
  /** The folder of the organizations' folders; made when it is missing. */
  directory: string
  /** Milliseconds since 1970; the clock by default. */
  now?: () => number
  log?: Logger
  /** What work behind the writers' backs runs in; the store closes its own part of it. By default one of its own. */
  background?: Background
  /** Limit of the cache of trees and file contents, of all organizations together. 64 MiB by default. */
  cacheBytes?: number
  /** Whether edits in the work trees are watched for; true by default. */
  watch?: boolean
  /** How many organizations may be open at once (descriptors, watchers, unsealed writes); 200 by default. */
  maxOpen?: number
  /** After how many milliseconds without use an organization is closed; ten minutes by default. */
  idleMs?: number
  /** Called after each seal: the organization's branch on the disk has moved. Must not throw, and be quick. */
  onSealed?: (organization: string) => void
  /** Another pace of the maintenance, for tests, or none. */
  maintenance?: Partial<MaintenancePace> | false
  /** How outside edits are judged; by default within a turn of the event loop each. */
  judge?: JudgeEdit
  /** Another view of the work tree, for tests of the store alone. */
  makeView?: RepositoryOptions['makeView']
}

/** What a store is busy with at a moment. */
export interface StoreLoad {
  /** Organizations that are open. */
  open: number
  /** Writes that wait for their turn. */
  queued: number
  /** Commits that are acknowledged and not in git's objects yet. */
  unsealed: number
  /** How much of the journals holds such commits. */
  journalBytes: number
  /** What the cache of trees and file contents holds. */
  cacheBytes: number
}
