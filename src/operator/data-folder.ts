/** The data folder as a command finds it: who is in it, and whether a server runs on it. */
import { Directory, type Organization } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import { lockDataFolder } from '../store/lock.ts'

/** Runs `use` on SQLite's users and organizations. @throws Failure `not-found` when it is no data folder */
export async function inDirectory<T>(dataDir: string, use: (directory: Directory) => T | Promise<T>): Promise<T> {
  const directory = Directory.open(dataDir)
  try {
    return await use(directory)
  } finally {
    directory.close()
  }
}

/** @throws Failure `not-found` for no data folder or no such organization */
export const findOrganization = (dataDir: string, idOrSlug: string): Promise<Organization> =>
  inDirectory(dataDir, directory => directory.organization(idOrSlug))

/** The slugs of all organizations by id. @throws Failure as {@link inDirectory} does */
export const slugsOf = (dataDir: string): Promise<Map<string, string>> =>
  inDirectory(dataDir, directory => new Map(directory.organizations().map(({ id, slug }) => [id, slug])))

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
