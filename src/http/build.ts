/** The files of the build, which are served as they are. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the build that has a file: beside this one, or of this checkout. */
export const buildWith = (file: string): string | undefined =>
  ['.', '..', '../../dist'].map(path => join(import.meta.dirname, path)).find(path => existsSync(join(path, file)))

/** Loads something at its first use; a failure is forgotten. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () =>
    (loaded ??= load().catch(error => {
      loaded = undefined
      throw error
    }))
}
