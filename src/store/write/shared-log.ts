/** The store's seam for a cluster, where other nodes write to the same organizations. Implemented in `cluster/`. */

import { Failure } from '../../bundle/errors.ts'
import type { Background } from '../../scheduling/background.ts'
import type { ChangeRefs } from '../refs/change-refs.ts'
import type { Head, Objects } from '../snapshot.ts'
import type { JournalCommit } from './journal.ts'
import type { Ledger } from './ledger.ts'
import type { Recovered } from './recover.ts'
import type { WriteAhead } from './write-ahead.ts'

/** Another node's entry has the place of a batch, and nothing was written. The batch runs again on the newer state. */
export class Overtaken extends Error {
  override name = 'Overtaken'
}

/** The failure of a write that other nodes overtook too often. */
export const STILL_OVERTAKEN = new Failure(
  'unavailable',
  'Other nodes wrote to this organization first, again and again; nothing was written. Try again.',
  { retryAfter: 1 },
)

export interface SharedLog {
  /** Whether the organization was ever written to and is not removed. @throws Failure `unavailable` */
  has(organization: string): Promise<boolean>
  /** Removes the entries of a deleted organization. */
  remove(organization: string): Promise<void>
  /** Follows an organization's entries from now on. */
  open(organization: string): SharedOrganization
}

/** The parts of an opened repository that a {@link SharedOrganization} works with. */
export interface ReplicatedParts {
  gitDir: string
  objects: Objects
  ahead: WriteAhead
  queue: ReplicatedQueue
  /** The durable state. */
  head: () => Head
  /** Called when another node's change of refs was applied. */
  changed: () => void
}

/** The organization's write queue, as far as other nodes' entries need it. */
export interface ReplicatedQueue {
  readonly failure: Failure | undefined
  /** Runs `work` while no batch is under way. */
  alone<T>(work: () => Promise<T>): Promise<T>
  show(head: Head, records: JournalCommit[], replaced: string[]): Promise<void>
  fail(error: unknown): Failure
}

/** One organization that other nodes write to as well. */
export interface SharedOrganization {
  /** Where batches become durable in place of journals. */
  readonly ledger: Ledger
  /** Whether the log is away and reads go on without newer entries, marked as stale. */
  readonly isStale: boolean
  /** Whether another node's entry is known to be in the log and was not applied. */
  readonly isOvertaken: boolean
  /** Applies all entries that a recovered repository lacks. @throws Failure `unavailable`, Error for a damaged entry */
  catchUpOnOpen(gitDir: string, objects: Objects, recovered: Recovered): Promise<Recovered>
  /** Comes before every call but {@link catchUpOnOpen}. */
  attach(parts: ReplicatedParts): void
  /** Applies entries of other nodes as they come. @param isSealed whether git has the state that readers see */
  follow(background: Background, isSealed: boolean): void
  /** Notes that readers see the newest applied entry. */
  show(): void
  /** Whether there may be an entry that a reader, or the next write, would miss. False while {@link isStale}. */
  isBehind(purpose: 'read' | 'write'): boolean
  /** Resolves when readers see all entries announced before the call, or when stale. @throws Failure `unavailable` */
  catchUp(): Promise<void>
  /** Stops other nodes from writing until {@link letGo}, and applies their entries. @throws Failure */
  hold(): Promise<void>
  letGo(): Promise<void>
  /** Runs `use` when git has every entry and no other node can write. @throws Failure, and as `use` does */
  changeRefs<T>(use: (change: ChangeRefs) => Promise<T>): Promise<T>
  /** Ends the reads. */
  release(): void
}
