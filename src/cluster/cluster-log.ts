/** The ordered log that all nodes share: an interface with one implementation on PostgreSQL and one for tests. */

/** An entry of a stream, durable. A stream is an organization's, named by its id. */
export interface LogEntry {
  /** 1 for a stream's first; no number is left out. */
  seq: number
  /** What its writer called it, so that it knows it again: no two are alike. */
  id: string
  /** The commit that the branch is at after it; null before the first. */
  head: string | null
  frame: Buffer
  /** Set when it is known to have been the newest one as it was read. */
  isLast?: true
}

/** One that is to be appended. */
export type NewEntry = Omit<LogEntry, 'seq' | 'isLast'>

/** How far a stream is, as far as a node knows. */
export interface StreamPosition {
  /**
   * The newest entry that may be in the log: a fresh answer needs it. Infinity while a node writes a streak of entries
   * without announcing each.
   */
  announced: number
  /** The newest entry known to be in the log. */
  committed: number
}

/** A position with one number: announced and committed. */
export const upTo = (seq: number): StreamPosition => ({ announced: seq, committed: seq })

/** The greater numbers of two positions. */
export const furthest = (a: StreamPosition, b: StreamPosition): StreamPosition => ({
  announced: Math.max(a.announced, b.announced),
  committed: Math.max(a.committed, b.committed),
})

/** The next place in a stream, reserved for its holder until it has appended, or until {@link release}. */
export interface LogTurn {
  /** Once; as {@link ClusterLog.append}, but never overtaken once all entries before have been read. */
  append(after: number, entry: NewEntry): Promise<void>
  release(): Promise<void>
}

export interface ClusterLog {
  /**
   * Whether the engine is away and reads go on, marked as stale, without what may be newer. False once that may not be.
   */
  readonly stale: boolean
  /** Whether the stream was ever appended to and is not removed. @throws Failure `unavailable` */
  has(stream: string): Promise<boolean>
  /**
   * Appends the entry that is to follow number `after`. It is durable when this resolves. Every node that answers reads
   * has heard of the entry before any node can read it. No node denies what another one shows, even when the writer
   * dies.
   * @throws Overtaken when another entry has the place
   * @throws Failure `unavailable`: nothing was written, or (`doubtful` in its data) the outcome is unknown
   */
  append(stream: string, after: number, entry: NewEntry): Promise<void>
  /** Stops others from appending, after being overtaken. A holder that dies loses the turn. @throws Failure */
  turn(stream: string): Promise<LogTurn>
  /**
   * Entries after number `after`, oldest first: some of them, none at the end.
   * @throws Failure `unavailable`
   */
  read(stream: string, after: number): Promise<LogEntry[]>
  /**
   * The number after which a repository with its branch at `head` reads on. It is that of the first entry with this
   * head, since entries without commits may follow it. It is 0 for null (empty) while the entries begin at 1, or there
   * are none. Undefined when the log's entries do not reach back to there, or never knew it.
   * @throws Failure `unavailable`
   */
  find(stream: string, head: string | null): Promise<number | undefined>
  /**
   * Fetches a repository that the log's entries do not reach from another node or the backup, and sets its branch and
   * tags. The caller does not hold git's lock on the branch meanwhile.
   * @throws Failure `unavailable` when no node has it
   */
  fetch(stream: string, gitDir: string): Promise<void>
  /**
   * Calls `heard` at once (when anything is known) and whenever a number changes; none falls, but from Infinity.
   * @returns what ends it
   */
  follow(stream: string, heard: (position: StreamPosition) => void): () => void
  /**
   * Says that this node's git holds all up to number `seq`, where the branch was at `head`: what all hold is dropped.
   */
  sealed(stream: string, seq: number, head: string | null): void
  /** Forgets a deleted organization's stream. */
  remove(stream: string): Promise<void>
}
