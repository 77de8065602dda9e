/** File descriptors: how many this process may have (`ulimit -n`), and how connections, the store and git share them. */

/** What each may take. */
export interface DescriptorShares {
  /** Connections of clients. */
  connections: number
  /** Organizations that are open in the store, each with up to two journals. */
  organizations: number
  /** Packs that are open, each with its index. */
  packs: number
}

/** Node itself, SQLite's files, the lock, standard streams, a watcher, and files that are open for a moment. */
const OWN = 48
/** Three pipes for each of git's processes; a history reader is two processes, and there are half as many of them. */
const PER_GIT = 6
/** More organizations and packs than this allows are no faster. */
const MOST_FOR_FILES = 4096
const LEAST_CONNECTIONS = 8
const LEAST_ORGANIZATIONS = 4
const LEAST_PACKS = 4

/** How many descriptors this process may have; Infinity where the system sets no limit or does not tell. */
export function descriptorLimit(): number {
  const { report: reporter } = process as { report: { excludeNetwork?: boolean; getReport(): object } }
  // Else it looks up the names of all peers.
  reporter.excludeNetwork = true
  const report = reporter.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  const soft = Number(report.userLimits?.open_files?.soft)
  return soft > 0 ? soft : Number.POSITIVE_INFINITY
}

/** Shares out `limit` descriptors. @param wanted the settings MAX_CONNECTIONS and GIT_PROCESSES */
export function shareDescriptors(
  limit: number,
  wanted: { connections: number; gitProcesses: number },
): DescriptorShares {
  const rest = limit - OWN - PER_GIT * wanted.gitProcesses
  const files = Math.min(MOST_FOR_FILES, rest / 2)
  return {
    connections: Math.min(wanted.connections, Math.max(LEAST_CONNECTIONS, Math.floor(rest - files))),
    organizations: Math.max(LEAST_ORGANIZATIONS, Math.floor(files / 4)),
    packs: Math.max(LEAST_PACKS, Math.floor(files / 4)),
  }
}
