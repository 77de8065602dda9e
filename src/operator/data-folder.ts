/** The accounts and the data folder as a command finds them, with or without a running server or a cluster. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { listOrganizations, type OrganizationSummary, withDirectory } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import type { SharedAccountsOptions } from '../cluster/accounts/options.ts'
import type { SharedAccounts } from '../cluster/accounts/shared-accounts.ts'
import type { ClusterConfig } from '../config.ts'
import type { Log } from '../scheduling/background.ts'
import { lockDataFolder } from '../store/lock.ts'
import type { CommandCall } from './report.ts'

/**
 * Runs `use` on the server's users and organizations, wherever they are.
 * @throws Failure as {@link withDirectory} does
 */
export function withAccounts<T>(
  { config, report }: Pick<CommandCall, 'config' | 'report'>,
  use: (accounts: Database) => T | Promise<T>,
): Promise<T> {
  const { cluster, dataDir } = config
  if (cluster === undefined) return withDirectory(dataDir, use)
  return withSharedAccounts(cluster, report.log, ({ reads }) => use(reads))
}

/** @throws Failure `not-found` for no data folder or no such organization */
export async function findOrganization(
  call: Pick<CommandCall, 'config' | 'report'>,
  idOrSlug: string,
): Promise<OrganizationSummary> {
  const all = await withAccounts(call, listOrganizations)
  const found = all.find(({ id }) => id === idOrSlug) ?? all.find(({ slug }) => slug === idOrSlug)
  if (found) return found
  throw new Failure(
    'not-found',
    `There is no organization ${JSON.stringify(idOrSlug)}; \`parlance server organization list\` shows which there are.`,
  )
}

/** The slugs of all organizations by id. @throws Failure as {@link withDirectory} does */
export const slugsOf = (dataDir: string): Promise<Map<string, string>> =>
  withDirectory(dataDir, accounts => new Map(listOrganizations(accounts).map(({ id, slug }) => [id, slug])))

/** Runs `use` on the database, with its tables created. @throws Failure `unavailable` */
export async function withClusterAccounts<T>(
  { urls, managed }: { urls: readonly string[]; managed: boolean },
  log: Log,
  use: (shared: Pick<SharedAccountsOptions, 'pool' | 'types'>, host: string) => Promise<T>,
): Promise<T> {
  const { withClusterDatabase } = await import('../cluster/cluster-database.ts')
  const { migrate } = await import('../cluster/schema.ts')
  return withClusterDatabase({ urls, log, managed }, async engine => {
    await migrate(engine)
    return use(engine.accounts, engine.host ?? 'the database')
  })
}

/** Runs `use` on the accounts that the nodes share. @throws Failure `unavailable` */
export function withSharedAccounts<T>(
  cluster: ClusterConfig,
  log: Log,
  use: (accounts: SharedAccounts) => T | Promise<T>,
): Promise<T> {
  return withClusterAccounts(cluster, log, async shared => {
    const { SharedAccounts } = await import('../cluster/accounts/shared-accounts.ts')
    const { SILENCE_MS } = await import('../cluster/lease.ts')
    // A command is no node: it hears no announcement and sends none. After a lease every node has read the change.
    const alone = { follow: () => () => {}, untilReplicated: () => pause(SILENCE_MS) }
    const accounts = await SharedAccounts.open({ ...shared, ...alone }, {})
    try {
      return await use(accounts)
    } finally {
      await accounts.close()
    }
  })
}

/** Runs `alone` with the data folder to itself, or `beside` when a server runs on it. @throws what that one throws */
export async function aloneOrBeside<T>(dataDir: string, alone: () => Promise<T>, beside: () => Promise<T>): Promise<T> {
  let lock: { release(): void }
  try {
    lock = lockDataFolder(dataDir)
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') return beside()
    throw error
  }
  try {
    return await alone()
  } finally {
    lock.release()
  }
}
