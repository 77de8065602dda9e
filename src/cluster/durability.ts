/** Whether a database loses acknowledged writes, by its own settings. */

/** What a primary says of itself. */
export interface Durability {
  /** Grows by one with each promotion. */
  timeline: number
  fsync: string
  full_page_writes: string
  synchronous_commit: string
  synchronous_standby_names: string
  /** Servers that receive its log. */
  standbys: number
  patroni: boolean
}

const QUESTION = `select pg_is_in_recovery() as standby,
  case when pg_is_in_recovery() then '0' else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline,
  current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('synchronous_standby_names') as synchronous_standby_names,
  (select count(*)::int from pg_stat_replication where state is null or state in ('streaming', 'catchup')) as standbys,
  exists (select from pg_stat_activity where application_name ilike 'patroni%') as patroni`

/** Asks a server; undefined for a standby. */
export async function durabilityOf(
  query: (text: string) => Promise<{ rows: unknown[] }>,
): Promise<Durability | undefined> {
  const [row] = (await query(QUESTION)).rows as [Omit<Durability, 'timeline'> & { standby: boolean; timeline: string }]
  if (row.standby) return undefined
  return { ...row, timeline: Number.parseInt(row.timeline, 16) }
}

const OR_MANAGED = ', or set CLUSTER_DURABILITY=managed if whoever runs the database answers for what it acknowledges.'

/** A sentence for a database that would lose acknowledged writes with its machine. */
export function whyUnsafe({ fsync, full_page_writes, synchronous_commit }: Durability): string | undefined {
  const needs = (setting: string, value: string, why: string) =>
    `The database of CLUSTER has ${setting} = ${value}, ${why}: set it to on${OR_MANAGED}`
  if (fsync === 'off') return needs('fsync', fsync, 'so a power failure destroys it')
  if (full_page_writes === 'off') return needs('full_page_writes', full_page_writes, 'so a power failure may damage it')
  if (synchronous_commit === 'off') {
    return needs('synchronous_commit', synchronous_commit, 'so it acknowledges what is not on its disk yet')
  }
  if (synchronous_commit === 'local') {
    return needs('synchronous_commit', synchronous_commit, 'so it acknowledges what its standbys do not have yet')
  }
  return undefined
}

/** A sentence for one that would lose them with a failover to one of its standbys. */
export function warningOf({ synchronous_standby_names, standbys, patroni }: Durability): string | undefined {
  if (synchronous_standby_names.trim() !== '') return undefined
  if (patroni) {
    return `Patroni runs the database of CLUSTER without a synchronous standby, so a failover loses acknowledged writes: set synchronous_mode and synchronous_mode_strict to true in its configuration${OR_MANAGED}`
  }
  if (standbys === 0) return undefined
  return `The database of CLUSTER has standbys and none of them is synchronous, so a failover loses acknowledged writes: set synchronous_standby_names, such as 'ANY 1 (*)'${OR_MANAGED}`
}
