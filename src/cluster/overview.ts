/** The cluster as its database describes it, for the operator's commands. */
import { Failure } from '../bundle/errors.ts'
import type { Log } from '../scheduling/background.ts'
import { withClusterDatabase } from './cluster-database.ts'
import { memberOf } from './member.ts'
import { ACCOUNTS } from './stream-positions.ts'

/** All of it. Times in seconds. */
export interface ClusterOverview {
  /** The primary's host and port. */
  primary: string
  /** What serves now. */
  nodes: { url: string; joined: number; seen: number }[]
  /** The owners of repositories: an entry is deleted once each of them has sealed it. */
  members: { id: string; url: string; seen: number; lag: number }[]
  organizations: number
  /** Entries in the log. */
  entries: number
}

const NO_CLUSTER = 'No node has joined at this database yet: start a server with CLUSTER and NODE_URL.'

/** Asks the database. @throws Failure `unavailable` for one that cannot be used, or that has no cluster */
export async function overviewOf(urls: readonly string[], log: Log): Promise<ClusterOverview> {
  return withClusterDatabase({ urls, log, managed: true }, async engine => {
    const [table] = await engine.query<{ exists: boolean }>('log', `select to_regclass('sealed') is not null as exists`)
    if (!table!.exists) throw new Failure('unavailable', NO_CLUSTER)
    const ago = (column: string) => `extract(epoch from now() - ${column})::float8`
    const nodes = await engine.query<ClusterOverview['nodes'][number]>(
      'log',
      `select url, ${ago('joined')} as joined, ${ago('seen')} as seen from node order by url`,
    )
    const members = await engine.query<ClusterOverview['members'][number]>(
      'log',
      `select id, url, ${ago('seen')} as seen, (
         select coalesce(sum(greatest(0, stream.seq - coalesce(sealed.seq, 0))), 0)::float8
         from stream left join sealed on sealed.stream = stream.id and sealed.member = cluster_member.id
         where stream.id <> $1 and not removed
       ) as lag from cluster_member order by url`,
      [ACCOUNTS],
    )
    const [counts] = await engine.query<{ organizations: number; entries: number }>(
      'log',
      `select (select count(*)::int from stream where id <> $1 and not removed) as organizations,
         (select count(*)::int from record) as entries`,
      [ACCOUNTS],
    )
    return { primary: engine.host!, nodes, members, ...counts! }
  })
}

/**
 * Says that this member's repository of an organization counts no more, if it can be had from elsewhere: from the log's
 * beginning, or another member.
 * @returns its id
 * @throws Failure `not-found`; `unavailable` when it is nowhere else
 */
export function releaseRepository(
  urls: readonly string[],
  dataDir: string,
  idOrSlug: string,
  log: Log,
): Promise<string> {
  return withClusterDatabase({ urls, log, managed: true }, async engine => {
    const text = 'select id from organization where id = $1 or slug = $1'
    const [found] = await engine.query<{ id: string }>('log', text, [idOrSlug])
    if (found === undefined) throw new Failure('not-found', `There is no organization ${idOrSlug}.`)
    const member = await memberOf(dataDir)
    const [held] = await engine.query<{ held: boolean }>(
      'log',
      `select (base_seq = 0 and base_head is null) or exists (
         select from sealed where stream = id and member <> $2 and sealed.seq >= base_seq
       ) as held from stream where id = $1`,
      [found.id, member],
    )
    if (held?.held === false) {
      throw new Failure('unavailable', `No other node has the repository of ${idOrSlug}: it stays as it is.`)
    }
    await engine.query('log', 'delete from sealed where stream = $1 and member = $2', [found.id, member])
    return found.id
  })
}
