/** File descriptors (`ulimit -n`), shared by connections, store and git. */

/** Each one's share. */
export interface DescriptorShares {
  connections: number
  /** Organizations open in the store, each with up to two journals. */
  organizations: number
  /** Open packs, each with its index. */
  packs: number
}

/** Node itself, SQLite, the lock, standard streams, a watcher, briefly open files. */
const OWN = 48
/** Three pipes a git process; a history reader is two, and there are half as many. */
const PER_GIT = 6
/** More organizations and packs are no faster. */
const MOST_FOR_FILES = 4096
const LEAST_CONNECTIONS = 8
const LEAST_ORGANIZATIONS = 4
const LEAST_PACKS = 4

/** This process' limit; Infinity without one, or when unknown. */
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
