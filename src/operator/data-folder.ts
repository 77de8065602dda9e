/** The data folder as a command finds it: who is in it, and whether a server runs on it. */
import { Directory, type OrganizationSummary } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import { lockDataFolder } from '../store/lock.ts'
import type { CommandCall } from './report.ts'

/** Runs `use` on SQLite's users and organizations. @throws Failure `not-found` when it is no data folder */
export async function withDirectory<T>(dataDir: string, use: (directory: Directory) => T | Promise<T>): Promise<T> {
  const directory = Directory.open(dataDir)
  try {
    return await use(directory)
  } finally {
    directory.close()
  }
}

/**
 * The same on the server's users and organizations, wherever they are.
 * @throws Failure as {@link withDirectory} does
 */
export async function withAccounts<T>(
  { config, report }: Pick<CommandCall, 'config' | 'report'>,
  use: (directory: Directory) => T | Promise<T>,
): Promise<T> {
  const { cluster, dataDir } = config
  if (cluster === undefined) return withDirectory(dataDir, use)
  const { withSharedAccounts } = await import('./shared-accounts.ts')
  return withSharedAccounts(cluster, report.log, ({ reads }) => use(Directory.over(reads)))
}

/** @throws Failure `not-found` for no data folder or no such organization */
export const findOrganization = (
  call: Pick<CommandCall, 'config' | 'report'>,
  idOrSlug: string,
): Promise<OrganizationSummary> => withAccounts(call, directory => directory.organization(idOrSlug))

/** The slugs of all organizations by id. @throws Failure as {@link withDirectory} does */
export const slugsOf = (dataDir: string): Promise<Map<string, string>> =>
  withDirectory(dataDir, directory => new Map(directory.organizations().map(({ id, slug }) => [id, slug])))

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
