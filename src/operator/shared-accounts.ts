/** The database that the nodes share, for a command, which is no node itself. */
import { setTimeout as pause } from 'node:timers/promises'
import type { SharedAccountsOptions } from '../cluster/accounts/options.ts'
import type { SharedAccounts } from '../cluster/accounts/shared-accounts.ts'
import type { ClusterConfig } from '../config.ts'
import type { Log } from '../scheduling/background.ts'

/** Runs `use` on the database, with its tables created. @throws Failure `unavailable` */
export async function withClusterAccounts<T>(
  { urls, managed }: { urls: readonly string[]; managed: boolean },
  log: Log,
  use: (shared: Pick<SharedAccountsOptions, 'pool' | 'types'>, host: string) => Promise<T>,
): Promise<T> {
  const { TYPES, withClusterDatabase } = await import('../cluster/cluster-database.ts')
  const { migrate } = await import('../cluster/schema.ts')
  return withClusterDatabase({ urls, log, managed }, async engine => {
    await migrate(engine)
    return use({ pool: engine.pool('accounts') as never, types: TYPES }, engine.host ?? 'the database')
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
