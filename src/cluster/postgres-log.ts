/** The ordered log of each organization, as rows in PostgreSQL: {@link ClusterLog} says what is asked of it. */
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../bundle/errors.ts'
import type { Background } from '../scheduling/background.ts'
import { Overtaken } from '../store/write/shared-log.ts'
import { type ClusterConnection, type ClusterDatabase, inTime } from './cluster-database.ts'
import type { ClusterLog, LogEntry, LogTurn, NewEntry, StreamPosition } from './cluster-log.ts'
import type { ClusterNode } from './cluster-node.ts'
import { engineAway, isHeldUp, isOfSql } from './postgres-errors.ts'
import { type DoubtfulAppend, resolveDoubt } from './resolve-doubt.ts'
import { LOCKS } from './schema.ts'
import type { SealedPositions } from './sealed-positions.ts'

/** With the node as which it was asked, and its epoch. */
type AppendAttempt = DoubtfulAppend & { sender: string; epoch: string }
/** `out`: this node was removed before; `joined`: a new node has not heard yet. */
type AppendResult = 'done' | 'overtaken' | 'out' | 'joined'

/** See {@link PostgresLog}. */
export interface PostgresLogOptions {
  engine: ClusterDatabase
  node: ClusterNode
  sealed: SealedPositions
  background: Background
  /** Brings a repository from elsewhere, see {@link ClusterLog.fetch}. */
  fetch: (stream: string, gitDir: string) => Promise<void>
}

/** Bytes of frames that are read at once, and entries. */
const READ_BYTES = 8 * 1024 * 1024
const READ_ENTRIES = 500
/** For a commit, and the additional milliseconds for each megabyte. */
const APPEND_MS = 5000
const MEGABYTE_MS = 500
/** For finding out what became of it, all tries together. */
const DOUBT_MS = 6000
const AGAIN_MS = 100
const TURN_TRIES = 4
/** PostgreSQL ends a turn after this silence: others wait for it, and its node stands still. */
const STILL_MS = 3000
/** How often one that is alive says something, and for how long at the most. */
const BEAT_MS = 1000
const LONGEST_TURN_MS = 20_000

const DOUBTFUL =
  'The database of the cluster went away while this was written, so it is not known yet whether it was written: look before you send it again.'

const BUSY = 'Another node has been writing to this organization for long: try again soon.'

/**
 * Key share on the node's own row: the removal of the node waits for this, or comes before it. The lock first: a join
 * comes wholly before or wholly after, and the row then has the current epoch.
 */
const ME = `with gate as materialized (select pg_advisory_xact_lock_shared(${LOCKS.joining})),
  me as (select id, epoch from node, gate where id = $1 for key share of node),
  listed as (select id from me where epoch = $7)`
const THEN_ENTRY = 'entry as (insert into record select $2, seq, $4, $5, $6 from moved returning seq)'
const READ = `select seq, id, head, frame from (
    select *, sum(octet_length(frame)) over (order by seq) - octet_length(frame) as before
    from (select seq, id, head, frame from record where stream = $1 and seq > $2 order by seq limit $3) as next
  ) as counted where before < $4 order by seq`
const ANSWER = 'select (select seq from entry) as seq, (select epoch from me) as epoch'
const APPEND = `${ME}, moved as (update stream set seq = seq + 1, head = $5
    where id = $2 and seq = $3 and not removed and exists (select from listed) returning seq),
  ${THEN_ENTRY} ${ANSWER}`
const BEGIN = `${ME}, moved as (insert into stream as s (id, seq, head)
    select $2, $3::bigint + 1, $5 from listed
    on conflict (id) do update set seq = $3::bigint + 1, head = $5 where s.seq = $3 and not s.removed returning seq),
  ${THEN_ENTRY} ${ANSWER}`

const deleted = () => new Failure('not-found', 'This organization has been deleted.')

/** See the top of the file. */
export class PostgresLog implements ClusterLog {
  readonly #options: PostgresLogOptions
  readonly #engine: ClusterDatabase
  readonly #node: ClusterNode

  constructor(options: PostgresLogOptions) {
    this.#options = options
    this.#engine = options.engine
    this.#node = options.node
  }

  get stale(): boolean {
    return this.#node.readsStale
  }

  async has(stream: string): Promise<boolean> {
    const text = 'select 1 from stream where id = $1 and not removed and (seq > 0 or base_head is not null)'
    return (await this.#engine.query('log', text, [stream])).length > 0
  }

  async append(stream: string, after: number, entry: NewEntry): Promise<void> {
    await this.#surely(stream, after, entry, doubt => this.#once(doubt, entry))
  }

  async turn(stream: string): Promise<LogTurn> {
    const connection = await this.#locked(stream)
    const from = performance.now()
    const beating = this.#options.background.task({
      name: 'holding a turn',
      every: BEAT_MS,
      retry: false,
      level: 'warn',
      run: async () => {
        if (performance.now() - from < LONGEST_TURN_MS) await connection.query('select 1')
      },
    })
    beating.in(BEAT_MS)
    let isHeld = true
    const end = (isBroken: boolean) => {
      isHeld = false
      void beating.close()
      connection.release(isBroken)
    }
    return {
      append: async (after, entry) => {
        if (!isHeld) return this.append(stream, after, entry)
        await this.#surely(stream, after, entry, async doubt => {
          if (!isHeld) return this.#once(doubt, entry)
          try {
            const outcome = await inTime(this.#insert(connection, doubt, entry, true), timeOf(entry))
            if (outcome !== 'joined') end(false)
            return outcome
          } catch (error) {
            // What failed is rolled back with its connection.
            end(true)
            if (isOfSql(error)) throw error
            this.#engine.lost(connection, error)
            throw engineAway(error)
          }
        })
      },
      release: async () => {
        if (!isHeld) return
        // The queue, and with it this node's lease, would wait for a silent connection.
        const failed = await inTime(connection.query('rollback'), APPEND_MS).catch((error: unknown) => error)
        end(failed instanceof Error)
      },
    }
  }

  /** A connection in a transaction that holds the stream's row. @throws Failure */
  async #locked(stream: string): Promise<ClusterConnection> {
    for (let tries = 1; ; tries++) {
      const connection = await this.#engine.connect('log')
      try {
        const lock = async () => {
          await connection.query(`begin; set local idle_in_transaction_session_timeout = ${STILL_MS}`)
          await connection.query('insert into stream (id) values ($1) on conflict (id) do nothing', [stream])
          const text = 'select removed from stream where id = $1 for update'
          return (await connection.query<{ removed: boolean }>(text, [stream])).rows
        }
        const [row] = await inTime(lock(), APPEND_MS)
        if (row?.removed) throw deleted()
        return connection
      } catch (error) {
        connection.release(true)
        if (error instanceof Failure) throw error
        if (!isOfSql(error)) this.#engine.lost(connection, error)
        if (!isHeldUp(error)) throw isOfSql(error) ? refused(error) : engineAway(error)
        // A holder that does not go on is ended by PostgreSQL.
        if (tries === TURN_TRIES) throw new Failure('unavailable', BUSY, { retryAfter: 2 })
      }
    }
  }

  async read(stream: string, after: number): Promise<LogEntry[]> {
    const values = [stream, after, READ_ENTRIES, READ_BYTES]
    const query = { name: 'read', text: READ, values }
    const reading = this.#engine.run('log', connection =>
      connection.query<{ seq: string; id: string; head: string | null; frame: Buffer }>(query),
    )
    const { rows } = await reading.catch(error => {
      if (error instanceof Failure) this.#node.lostTouch()
      throw error
    })
    const entries: LogEntry[] = rows.map(row => ({ ...row, seq: Number(row.seq) }))
    const bytes = entries.reduce((sum, { frame }) => sum + frame.length, 0)
    const last = entries.at(-1)
    if (last && entries.length < READ_ENTRIES && bytes < READ_BYTES) last.isLast = true
    if (entries[0] === undefined || entries[0].seq === after + 1) return entries
    throw new Failure(
      'unavailable',
      `This node's repository of ${stream} is too old to read on from the cluster's log: \`parlance server cluster reseed ${stream}\` fetches it again.`,
    )
  }

  async find(stream: string, head: string | null): Promise<number | undefined> {
    const [row] = await this.#engine.query<{
      removed: boolean
      base_seq: string
      base_head: string | null
      at: string | null
    }>(
      'log',
      `select removed, base_seq, base_head,
         (select min(seq) from record where record.stream = stream.id and record.head = $2) as at from stream where id = $1`,
      [stream, head],
    )
    if (row?.removed) throw deleted()
    if (row === undefined && head !== null) {
      // From the time before there were several nodes: the others fetch it, unless another node's was first.
      const text =
        'insert into stream (id, head, base_head) values ($1, $2, $2) on conflict (id) do nothing returning 1'
      if ((await this.#engine.query('log', text, [stream, head])).length > 0) return 0
    }
    const base = Number(row?.base_seq ?? 0)
    // Entries without a commit, of tags, have the head of the one before: they are read again, which changes nothing.
    if (head === (row?.base_head ?? null)) return base
    return row?.at ? Number(row.at) : undefined
  }

  /** Those of some organizations that no node has ever opened. @throws Failure */
  async unknown(ids: readonly string[]): Promise<string[]> {
    const text =
      'select id from unnest($1::text[]) as given (id) where not exists (select from stream where stream.id = given.id)'
    return (await this.#engine.query<{ id: string }>('log', text, [ids])).map(({ id }) => id)
  }

  fetch(stream: string, gitDir: string): Promise<void> {
    return this.#options.fetch(stream, gitDir)
  }

  follow(stream: string, heard: (position: StreamPosition) => void): () => void {
    return this.#node.positions.follow(stream, heard)
  }

  sealed(stream: string, seq: number): void {
    this.#options.sealed.note(stream, seq)
  }

  /** Its row stays, marked as removed: an append under way must not create it again. */
  async remove(stream: string): Promise<void> {
    await this.#engine.transaction('log', async connection => {
      await connection.query(
        `insert into stream (id, removed) values ($1, true) on conflict (id) do update set removed = true`,
        [stream],
      )
      await connection.query('delete from record where stream = $1', [stream])
      await connection.query('delete from sealed where stream = $1', [stream])
    })
  }

  #once(doubt: AppendAttempt, entry: NewEntry): Promise<AppendResult> {
    return this.#engine.run('log', connection => this.#insert(connection, doubt, entry), timeOf(entry))
  }

  /** One statement, which commits by itself unless a turn's transaction is open. */
  async #insert(
    connection: ClusterConnection,
    doubt: AppendAttempt,
    entry: NewEntry,
    inTurn = false,
  ): Promise<AppendResult> {
    const { sender, epoch, stream, after } = doubt
    doubt.backend = connection.backend
    doubt.isSent = true
    connection.doubtful = false
    const values = [sender, stream, after, entry.id, entry.head, entry.frame, epoch]
    const [name, text] = after === 0 ? ['first', BEGIN] : ['append', APPEND]
    const { rows } = await connection.query<{ seq: string | null; epoch: string | null }>({ name, text, values })
    const found = rows[0]!
    const outcome =
      found.epoch === null ? 'out' : found.epoch !== epoch ? 'joined' : found.seq === null ? 'overtaken' : 'done'
    if (inTurn && outcome !== 'joined') await connection.query(outcome === 'done' ? 'commit' : 'rollback')
    if (connection.doubtful) throw new Error('PostgreSQL gave up waiting for its standbys.')
    return outcome
  }

  /**
   * Runs `once` when all nodes have heard of it, and finds out what became of it when its connection is lost.
   * @throws Overtaken, or Failure: `doubtful` in its data when the outcome is unknown
   */
  async #surely(
    stream: string,
    after: number,
    entry: NewEntry,
    once: (doubt: AppendAttempt) => Promise<AppendResult>,
  ): Promise<void> {
    const seq = after + 1
    const doubt: DoubtfulAppend = { stream, after, id: entry.id, isSent: false, backend: undefined }
    let end = 0
    for (;;) {
      const sender = this.#node.requireMembership()
      const foretold = await this.#node.announcer.announce(stream, seq)
      const { epoch } = foretold.to
      const done = () => this.#node.announcer.confirm(foretold)
      try {
        const outcome = await once(Object.assign(doubt, { sender, epoch }))
        if (outcome === 'overtaken') throw new Overtaken()
        if (outcome === 'out') throw this.#node.noteRemoval(sender)
        if (outcome === 'done') return await done()
        this.#node.announcer.forgetNodes()
        doubt.isSent = false
        continue
      } catch (error) {
        if (error instanceof Overtaken || !doubt.isSent) throw error
        // Another node has a turn: its entry is about to precede this one.
        if (isHeldUp(error)) throw new Overtaken()
        if (isOfSql(error)) throw refused(error)
        // Nothing is unknown about the others.
        if (!(error instanceof Failure) || error.cause === undefined) throw error
      }
      end ||= performance.now() + DOUBT_MS
      if (await this.#isAppended(doubt, end)) return done()
      doubt.isSent = false
    }
  }

  /** Whether it is in the log; false: not, and it cannot get there any more. @throws Overtaken, Failure */
  async #isAppended(doubt: DoubtfulAppend, end: number): Promise<boolean> {
    for (;;) {
      try {
        return await resolveDoubt(this.#engine, doubt)
      } catch (error) {
        if (error instanceof Overtaken) throw error
      }
      if (performance.now() > end) throw new Failure('unavailable', DOUBTFUL, { doubtful: true })
      await pause(AGAIN_MS)
    }
  }
}

const timeOf = ({ frame }: NewEntry) => APPEND_MS + (frame.length / 2 ** 20) * MEGABYTE_MS

/** A refusal of the database, such as for a full disk: nothing was written. */
const refused = (cause: unknown) =>
  Object.assign(new Failure('unavailable', 'The database of the cluster refused the write; the log says why.'), {
    cause,
  })
