/** Notifies listeners of commits that became durable: in their order, after the writers were answered. */
import { commitOf, type MainLineCommit } from './revisions/commits.ts'
import type { JournalCommit } from './write/journal.ts'

/** Neither may throw or run long: the organization's writers wait. */
export interface CommitListener {
  /** Commits that just became durable, oldest first. */
  committed(commits: MainLineCommit[]): void
  /** The organization was opened; people's commits may have moved it since it was closed. */
  opened(): void
}

/** A listener stays while its organization is closed, reopened or mended. */
export class Announcements {
  readonly #listeners = new Map<string, Set<CommitListener>>()

  /** @returns what ends it */
  listen(organization: string, listener: CommitListener): () => void {
    const all = this.#listeners.get(organization) ?? new Set()
    this.#listeners.set(organization, all.add(listener))
    return () => {
      all.delete(listener)
      if (all.size === 0 && this.#listeners.get(organization) === all) this.#listeners.delete(organization)
    }
  }

  committed(organization: string, records: JournalCommit[]): void {
    const all = this.#listeners.get(organization)
    if (all === undefined) return
    const commits = records.map(commitOf)
    for (const listener of all) listener.committed(commits)
  }

  opened(organization: string): void {
    for (const listener of this.#listeners.get(organization) ?? []) listener.opened()
  }
}
