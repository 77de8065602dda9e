/** How the past of an organization is looked at: in synchronous looks at its open repository, or by git. */
import type { ByteCache } from '../byte-cache.ts'
import type { Head, Objects } from './snapshot.ts'

/** What looks at the past need of an open repository. */
export interface RepositoryPast {
  readonly gitDir: string
  readonly objects: Objects
  readonly head: Head
  /**
   * The commits of past times, and the newest changes of folders. Both keep their answers: commits never precede their
   * parents.
   */
  readonly times: ByteCache<{ commit: string | null }>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Runs a synchronous look at the repository (undefined without one), which may close between two looks. */
export type LookAtPast = <T>(use: (history: RepositoryPast | undefined) => T) => Promise<T>

/** Lets git read everything acknowledged. */
export type RunGit = <T>(use: (gitDir: string) => Promise<T>) => Promise<T>

/** So many steps from commit to commit as may be done in one look, while others wait: 64, and 4 ms. */
export function* stride(): Generator<undefined> {
  const until = performance.now() + 4
  for (let steps = 0; steps < 64 && performance.now() < until; steps++) yield
}
