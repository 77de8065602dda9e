/** Work that one node does for all: the holder of a PostgreSQL lock, as long as its connection lives. */
import type { Background, BackgroundTask } from '../scheduling/background.ts'
import type { ClusterConnection, ClusterDatabase } from './cluster-database.ts'

/** The work. */
export interface LockedWork {
  /** Any number, the same on every node. */
  key: number
  name: string
  /** A throw is logged, and the work is tried again. */
  begin(signal: AbortSignal): Promise<void>
  end(): Promise<void>
}

const LOOK_MS = 5000

/** See the top of the file. */
export class LockHolder {
  readonly #engine: ClusterDatabase
  readonly #work: LockedWork
  readonly #looking: BackgroundTask
  #connection: ClusterConnection | undefined
  #begun = false

  constructor(engine: ClusterDatabase, background: Background, work: LockedWork) {
    this.#engine = engine
    this.#work = work
    this.#looking = background.task({
      name: work.name,
      every: LOOK_MS,
      retry: [LOOK_MS, LOOK_MS],
      level: 'warn',
      run: signal => this.#look(signal),
    })
    this.#looking.in(0)
  }

  /** Ends the work and lets another node have it. Never rejects. */
  async close(): Promise<void> {
    // First: a look that acquires the lock would hold its connection for ever.
    await this.#looking.close()
    await this.#letGo()
  }

  async #letGo(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    if (this.#begun) await this.#work.end().catch(() => {})
    this.#begun = false
    // The lock goes with it.
    connection?.release(true)
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      if (this.#connection) await this.#connection.query('select 1')
      else this.#connection = await this.#tryLock()
    } catch (error) {
      await this.#letGo()
      throw error
    }
    if (this.#connection === undefined || this.#begun) return
    await this.#work.begin(signal)
    this.#begun = true
  }

  async #tryLock(): Promise<ClusterConnection | undefined> {
    const connection = await this.#engine.connect('lease')
    try {
      const text = 'select pg_try_advisory_lock($1) as locked'
      const { rows } = await connection.query<{ locked: boolean }>(text, [this.#work.key])
      if (rows[0]!.locked) return connection
      connection.release()
      return undefined
    } catch (error) {
      connection.release(true)
      throw error
    }
  }
}
