/** How far each member's git is, and dropping the entries that all of them hold. */
import type { Background } from '../scheduling/background.ts'
import type { ClusterDatabase } from './cluster-database.ts'
import { ACCOUNTS } from './stream-positions.ts'

const WRITE_MS = 5000
const TRIM_MS = 60_000
/** A member that was not seen for so long counts no more. */
const GONE = '7 days'
/** Milliseconds until the backup knows of a seal. */
const KNOWN_MS = 10_000
/** Looks at sealed positions in memory: the backup is a minute behind under steady writing. */
const LOOKS = 6
/** The backup counts like a member. */
export const BACKUP = 'backup'

/** See {@link SealedPositions}. */
export interface SealedPositionsOptions {
  engine: ClusterDatabase
  member: string
  background: Background
  /** Whether there is a backup: then nothing is dropped that it does not have. */
  hasBackup: boolean
}

/** See the top of the file. */
export class SealedPositions {
  readonly #options: SealedPositionsOptions
  readonly #noted = new Map<string, number>()
  readonly #here = new Map<string, number>()
  /**
   * {@link SealedPositions.#here} at the last calls of {@link backedUp}, and when these were, by `performance.now()`.
   */
  #before: { at: number; here: Map<string, number> }[] = []

  constructor(options: SealedPositionsOptions) {
    this.#options = options
    const { background } = options
    const level = 'warn'
    background.task({ name: 'noting what is sealed', every: WRITE_MS, level, run: () => this.write() }).in(WRITE_MS)
    background.task({ name: "shortening the cluster's log", every: TRIM_MS, level, run: () => this.trim() }).in(TRIM_MS)
  }

  /** Notes how far this node's git is. Cheap. */
  note(stream: string, seq: number): void {
    for (const all of [this.#noted, this.#here]) all.set(stream, Math.max(seq, all.get(stream) ?? 0))
  }

  /** How many entries of those heard of this node's git lacks. */
  lag(newest: ReadonlyMap<string, number>): number {
    let lag = 0
    for (const [stream, seq] of newest) lag += Math.max(0, seq - (this.#here.get(stream) ?? seq))
    return lag
  }

  /**
   * Notes what the backup has.
   * @param isPushed whether it has all of a stream that was acknowledged before this number of milliseconds
   * @throws Failure
   */
  async backedUp(isPushed: (stream: string, milliseconds: number) => boolean): Promise<void> {
    const now = performance.now()
    const pushed = new Map<string, number>()
    for (const { at, here } of this.#before)
      for (const [stream, seq] of here) if (isPushed(stream, now - at - KNOWN_MS)) pushed.set(stream, seq)
    this.#before = [...this.#before, { at: now, here: new Map(this.#here) }].slice(-LOOKS)
    await this.write(BACKUP, pushed)
  }

  /** Some streams with entries that this node's git lacks, by the stored positions. @throws Failure */
  async behind(): Promise<string[]> {
    const rows = await this.#options.engine.query<{ id: string }>(
      'lease',
      `select id from stream left join sealed on sealed.stream = id and sealed.member = $1
       where not removed and id <> $2 and stream.seq > coalesce(sealed.seq, -1) limit 50`,
      [this.#options.member, ACCOUNTS],
    )
    return rows.map(({ id }) => id)
  }

  /** Stores the noted positions. Their loss does no harm, so no caller waits. @throws Failure */
  async write(member = this.#options.member, noted = this.#noted): Promise<void> {
    if (noted.size === 0) return
    const all = [...noted]
    await this.#options.engine.transaction('lease', async connection => {
      await connection.query('set local synchronous_commit = off')
      await connection.query(
        `insert into sealed (stream, member, seq)
         select stream, $1, seq from unnest($2::text[], $3::bigint[]) as noted (stream, seq)
         on conflict (stream, member) do update set seq = greatest(sealed.seq, excluded.seq)`,
        [member, all.map(([stream]) => stream), all.map(([, seq]) => seq)],
      )
    })
    for (const [stream, seq] of all) if (noted.get(stream) === seq) noted.delete(stream)
  }

  /**
   * Drops what all members hold, if there are two, and the backup if there is one. It ends with an entry that has a
   * commit: a repository is found by its branch, and what follows are the tags that it may lack.
   * @returns how many entries
   * @throws Failure
   */
  async trim(): Promise<number> {
    const { engine, hasBackup } = this.#options
    return engine.transaction('lease', async connection => {
      await connection.query(`delete from cluster_member where seen < now() - $1::interval`, [GONE])
      await connection.query(
        'delete from sealed where member <> $1 and member not in (select id from cluster_member)',
        [BACKUP],
      )
      const { rows } = await connection.query<{ id: string; upto: string }>(
        `with holder as (select id from cluster_member union all select $1 where $2),
           held as (
             select stream.id, base_seq, base_head, min(coalesce(sealed.seq, 0)) as seq
             from stream cross join holder
             left join sealed on sealed.stream = stream.id and sealed.member = holder.id
             where not removed and stream.seq > base_seq and (select count(*) from holder) > 1
             group by stream.id)
         select held.id, (
           select min(first.seq) from record first where first.stream = held.id and first.head = last.head
         ) as upto
         from held join record last on last.stream = held.id and last.seq = held.seq
         where last.head is distinct from held.base_head`,
        [BACKUP, hasBackup],
      )
      let dropped = 0
      for (const { id, upto } of rows) {
        const moved = await connection.query(
          `update stream set base_seq = $2, base_head = (select head from record where stream = $1 and seq = $2)
           where id = $1 and base_seq < $2 and not removed`,
          [id, upto],
        )
        if (moved.rowCount === 0) continue
        const gone = await connection.query('delete from record where stream = $1 and seq <= $2', [id, upto])
        dropped += gone.rowCount ?? 0
      }
      return dropped
    })
  }
}
