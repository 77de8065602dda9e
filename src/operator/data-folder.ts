/** The data folder as a command finds it: with a server on it or without, and which organization is meant. */
import { Directory, type Organization } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import { lockDataFolder } from '../store/lock.ts'

/** @throws Failure `not-found` when it is no data folder, or has no such organization */
export function findOrganization(dataDir: string, idOrSlug: string): Organization {
  const directory = Directory.open(dataDir)
  try {
    return directory.organization(idOrSlug)
  } finally {
    directory.close()
  }
}

/**
 * Runs `alone` with the data folder to itself, or `beside` when a server runs on it.
 * @throws what the one that ran throws
 */
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
