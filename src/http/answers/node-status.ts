/** What the routes ask of a cluster's node. A single server has none, and its reads are never stale. */

/** Response header: seconds for which the answer may be stale, because the node has lost its lease. */
export const STALE = 'parlance-stale'

/** The cluster as this node sees it. */
export interface ClusterStatus {
  /** Whether the database answers. */
  engine: 'ok' | 'away'
  /** Seconds since the lease was last renewed; null before the first lease. */
  leaseAge: number | null
  isFresh: boolean
  /** Log entries of other nodes that this node's git lacks. */
  lag: number
  /** All nodes, this one included; `seen` in seconds. */
  nodes: { url: string; own: boolean; seen: number }[]
}

/** A node, for health and metrics. */
export interface NodeStatus {
  /** Whether the last query of the database failed, so that no write succeeds. Known without a query. */
  readonly isAway: boolean
  status(): Promise<ClusterStatus>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether rights known here still count. A node loses them when the database is away for too long. */
    mayRead(): boolean
  }
}
