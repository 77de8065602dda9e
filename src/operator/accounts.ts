/** `parlance server accounts move`: from a data folder into a PostgreSQL that several nodes share, or back. */
import { join } from 'node:path'
import { withDirectory } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import { counted, inColumns } from '../cli/terminal/table.ts'
import { postgresUrls } from '../cluster/postgres-urls.ts'
import { hasRepository } from '../store/create-repository.ts'
import { lockDataFolder } from '../store/lock.ts'
import { readBranch } from '../store/refs/read-refs.ts'
import { Store } from '../store/store.ts'
import { withClusterAccounts } from './data-folder.ts'
import type { CommandCall, CommandReport, OperatorResult } from './report.ts'

interface Options {
  to?: string
  from?: string
}

export async function move({ config, options, report }: CommandCall<Options>): Promise<OperatorResult> {
  const { dataDir } = config
  const { to, from } = options
  if ((to === undefined) === (from === undefined)) {
    throw new Failure('invalid', 'Say where to with --to, or where from with --from: one of them.')
  }
  const urls = urlsOf((to ?? from)!, to === undefined ? '--from' : '--to', config.cluster?.urls)
  // A mistyped folder must not become a new data folder.
  if (to !== undefined) await withDirectory(dataDir, () => {})
  const lock = lockDataFolder(dataDir)
  try {
    const heads = await headsOf(dataDir, report)
    const { moveToFolder, moveToShared } = await import('../cluster/accounts/move.ts')
    const moving = to === undefined ? moveToFolder : moveToShared
    // Whether the database could lose what it acknowledged is for the nodes to see, which may be set to a managed one.
    return await withClusterAccounts({ urls, managed: true }, report.log, async (shared, host) => {
      const { contents, kept } = await moving(dataDir, shared, heads, new Date().toISOString())
      const tables = Object.entries(contents).map(([table, { rows, digest }]) => ({ table, rows, digest }))
      const ways: [string, string] = to === undefined ? [host, dataDir] : [dataDir, host]
      return { text: movedText(tables, ways, kept), json: { tables, ...(kept !== undefined && { kept }) } }
    })
  } finally {
    lock.release()
  }
}

function movedText(
  tables: { table: string; rows: number; digest: string }[],
  [from, to]: [string, string],
  kept?: string,
) {
  const rows = tables.map(({ table, rows, digest }) => [table, String(rows), digest.slice(0, 16)])
  const sum = tables.reduce((all, { rows }) => all + rows, 0)
  return [
    inColumns(['TABLE', 'ROWS', 'SHA-256'], rows),
    '',
    `Moved ${counted(sum, 'row')} from ${from} to ${to}; both were counted and compared.`,
    kept === undefined
      ? 'Start the server on the folder, without CLUSTER. The database stays as it is, and no node starts with it any more.'
      : `Start the nodes with CLUSTER, the one on this folder first: the others fetch its repositories. The old file is now ${kept}.`,
  ].join('\n')
}

/** @param given an address, or the word `cluster` for that of the setting */
function urlsOf(given: string, option: string, cluster: readonly string[] | undefined): readonly string[] {
  const urls = given === 'cluster' ? cluster : postgresUrls(given)
  if (urls) return urls
  const words = 'must be postgres://user:password@host/database, or the word cluster for the address in CLUSTER.'
  throw new Failure('invalid', `${option} ${words}`)
}

/** What each repository is at, everything sealed. */
async function headsOf(dataDir: string, report: CommandReport): Promise<Map<string, string | null>> {
  const directory = join(dataDir, 'organizations')
  const store = await Store.open({ directory, watch: false, log: report.log })
  const heads = new Map<string, string | null>()
  try {
    for (const id of store.organizations()) {
      if (!(await hasRepository(join(directory, id)))) continue
      report.progress(`reading ${id}`)
      heads.set(id, (await store.readGit(id, readBranch)) ?? null)
    }
  } finally {
    await store.close()
  }
  return heads
}
