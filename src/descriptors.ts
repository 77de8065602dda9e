/** File descriptors: this process' limit (`ulimit -n`), and how connections, store and git share them. */

/** Each one's share. */
export interface DescriptorShares {
  /** Connections of clients. */
  connections: number
  /** Organizations open in the store, each with up to two journals. */
  organizations: number
  /** Open packs, each with its index. */
  packs: number
}

/** Node itself, SQLite's files, the lock, standard streams, a watcher, and briefly open files. */
const OWN = 48
/** Three pipes for each git process; a history reader is two, and there are half as many of them. */
const PER_GIT = 6
/** More organizations and packs are no faster. */
const MOST_FOR_FILES = 4096
const LEAST_CONNECTIONS = 8
const LEAST_ORGANIZATIONS = 4
const LEAST_PACKS = 4

/** This process' limit of descriptors; Infinity without one, or where the system does not tell. */
export function descriptorLimit(): number {
  const { report: reporter } = process as { report: { excludeNetwork?: boolean; getReport(): object } }
  // Else it looks up all peers' names.
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
