/** The database that the nodes share, as a command finds it: the command is none of them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../background.ts'
import type { SharedAccountsOptions } from '../cluster/accounts/options.ts'
import type { SharedAccounts } from '../cluster/accounts/shared-accounts.ts'
import type { ClusterConfig } from '../config.ts'

/** Runs `use` on the database, whose tables are there then. @throws Failure `unavailable` */
export async function withClusterAccounts<T>(
  { urls, managed }: { urls: readonly string[]; managed: boolean },
  log: Log,
  use: (shared: Pick<SharedAccountsOptions, 'pool' | 'types'>, host: string) => Promise<T>,
): Promise<T> {
  const { ClusterDatabase, TYPES } = await import('../cluster/cluster-database.ts')
  const { migrate } = await import('../cluster/schema.ts')
  const engine = new ClusterDatabase({ urls, log, managed })
  try {
    await migrate(engine)
    return await use({ pool: engine.pool('accounts') as never, types: TYPES }, engine.host ?? 'the database')
  } finally {
    await engine.close()
  }
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
    // Nobody tells a command of changes, and it has nobody to tell: who answers reads after a lease has looked for itself.
    const alone = { follow: () => () => {}, untilReplicated: () => pause(SILENCE_MS) }
    const accounts = await SharedAccounts.open({ ...shared, ...alone }, {})
    try {
      return await use(accounts)
    } finally {
      await accounts.close()
    }
  })
}
