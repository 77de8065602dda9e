/** `parlance server cluster …`: the state of the nodes, and a repository of this node fetched again. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { counted, inColumns } from '../cli/terminal/table.ts'
import type { ClusterConfig, Config } from '../config.ts'
import { lockDataFolder } from '../store/lock.ts'
import { moveToDeleted } from '../store/open-organization.ts'
import type { CommandCall, OperatorResult } from './report.ts'

const KEPT = 'Entries stay in the log until the repository of each of these has them:'

/** `parlance server cluster status`. */
export async function status({ config, report }: CommandCall): Promise<OperatorResult> {
  const { overviewOf } = await import('../cluster/overview.ts')
  const overview = await overviewOf(clusterOf(config).urls, report.log)
  const { primary, nodes, members, organizations, entries } = overview
  const serving = nodes.map(({ url, joined, seen }) => [url, since(joined), since(seen)])
  const rows = members.map(({ id, url, seen, lag }) => [url, id, since(seen), String(lag)])
  const log = `${entries} ${entries === 1 ? 'entry' : 'entries'} of ${counted(organizations, 'organization')}`
  const text = [
    `The database is at ${primary} and holds ${log}.`,
    nodes.length ? inColumns(['NODE', 'JOINED', 'SEEN'], serving) : 'No node serves now.',
    ...(members.length ? ['', KEPT, inColumns(['URL', 'ID', 'SEEN', 'BEHIND'], rows)] : []),
  ]
  return { text: text.join('\n'), json: overview, code: nodes.length ? 0 : 1 }
}

/** `parlance server cluster reseed <organization>`. */
export async function reseed({ config, operands, report }: CommandCall): Promise<OperatorResult> {
  const { dataDir } = config
  const { urls } = clusterOf(config)
  const { releaseRepository: letGo } = await import('../cluster/overview.ts')
  const lock = lockDataFolder(dataDir)
  try {
    const id = await letGo(urls, dataDir, operands[0]!, report.log)
    if (!existsSync(join(dataDir, 'organizations', id))) {
      return { text: `There is no repository of ${operands[0]} here; the node fetches it by itself.`, json: { id } }
    }
    const aside = await moveToDeleted(join(dataDir, 'organizations'), id, Date.now())
    return { text: `${aside} is what it was. The node fetches it again when it starts.`, json: { id, aside } }
  } finally {
    lock.release()
  }
}

function clusterOf({ cluster }: Config): ClusterConfig {
  if (cluster) return cluster
  throw new Failure('invalid', 'Set CLUSTER and NODE_URL to what the nodes are started with.')
}

const since = (seconds: number) => {
  if (seconds < 120) return `${Math.round(seconds)} s ago`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`
}
