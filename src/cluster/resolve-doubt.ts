/** Finds out whether an append without an answer is in the log. */
import { Overtaken } from '../store/write/shared-log.ts'
import type { ClusterDatabase, ServerProcess } from './cluster-database.ts'

/** An append that may or may not be in the log. */
export interface DoubtfulAppend {
  stream: string
  after: number
  /** The entry's. */
  id: string
  /** Whether the statement was sent since the last look. */
  isSent: boolean
  /** The server process with the statement. */
  backend: ServerProcess | undefined
}

const ENDING_MS = 2000

/**
 * Looks under the lock of the stream's row: an append about to commit holds it. A commit of our own comes after the
 * finding, so that no failover can undo it.
 * @returns whether it is there; false: it is not, and cannot come any more
 * @throws Overtaken when another has its place; Failure `unavailable` when that is unknown for now
 */
export async function resolveDoubt(
  engine: ClusterDatabase,
  { stream, after, id, backend }: DoubtfulAppend,
): Promise<boolean> {
  const found = await engine.transaction('log', async connection => {
    await connection.query('select 1 from stream where id = $1 for update', [stream])
    const { rows } = await connection.query<{ id: string }>('select id from record where stream = $1 and seq = $2', [
      stream,
      after + 1,
    ])
    const [found] = rows
    // Its process at the server may not have begun yet.
    if (found === undefined && backend !== undefined) {
      await connection.query(
        `select pg_terminate_backend(pid, $3) from pg_stat_activity
         where pid = $1 and backend_start = $2::timestamptz and pid <> pg_backend_pid()`,
        [backend.pid, backend.since, ENDING_MS],
      )
    }
    await connection.query(`select pg_logical_emit_message(true, 'parlance', 'found out')`)
    return found
  })
  if (found !== undefined && found.id !== id) throw new Overtaken()
  return found !== undefined
}
