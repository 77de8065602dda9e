/** What a store is opened with, and what it tells of its load. */
import type { Background } from '../background.ts'
import type { ComputeAside } from '../project/aside.ts'
import type { MaintenancePace } from './git/maintenance.ts'
import type { Logger } from './log.ts'
import type { RepositoryOptions } from './repository.ts'

/** What a store is opened with. */
export interface StoreOptions {
  /** The folder of the organizations' folders; made when missing. */
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
  /** How outside edits are judged; by default each within a turn of the event loop. */
  compute?: ComputeAside
  /** Another view of the work tree, for tests of the store alone. */
  makeView?: RepositoryOptions['makeView']
}

/** A store's load at a moment. */
export interface StoreLoad {
  open: number
  queued: number
  unsealed: number
  /** Bytes of the journals with such commits. */
  journalBytes: number
  /** Bytes in the cache of trees and contents. */
  cacheBytes: number
}
