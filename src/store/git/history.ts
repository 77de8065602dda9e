/** Histories by page; each reader runs a `git log` and a `git cat-file`. */
import { Failure } from '../../bundle/errors.ts'
import { glossaryFile } from '../../project/glossary-file.ts'
import { bundlePath, languagePath, ownFile } from '../../project/project.ts'
import { sidecarFile } from '../../project/sidecars/sidecars.ts'
import type { Claimant } from '../../scheduling/fair-shares.ts'
import { FairSlots } from '../../scheduling/fair-slots.ts'
import type { Comparisons } from '../comparisons.ts'
import { CatFile } from './cat-file.ts'
import { requireGit } from './git.ts'
import { type Cursor, type HistoryScope, type Page, readCounts, readKey } from './history-page.ts'
import { type Counted, log } from './log.ts'

export type { Cursor, HistoryScope, Page, Revision } from './history-page.ts'

/** One page that is asked for. Every name in the scope is checked. */
export interface PageRequest {
  scope: HistoryScope
  /** The full id of an existing commit to begin with; with a cursor the cursor's. */
  from: string
  cursor?: Cursor | undefined
  limit: number
  /** Milliseconds after which an unfilled page ends; by default as {@link LIMITS} say. */
  patienceMs?: number | undefined
  signal: AbortSignal
  /** Who waits for a reader: the one with the fewest comes first. */
  claimant?: Claimant
}

const WAITING_PER_READER = 8
const RETRY_SECONDS = 2
const LIMITS = {
  /** When an unfilled page ends, in milliseconds. */
  patienceMs: 3_000,
  /** When it is given up, with nothing to show. */
  longestMs: 30_000,
  /** Most files of one commit that are compared key by key. */
  mostFiles: 1_000,
}
/** A key has at most one file in each language. */
const MOST_LANGUAGES = 100_000

export class HistoryReader {
  readonly #slots: FairSlots
  readonly #comparisons: Comparisons
  readonly #limits: typeof LIMITS

  /** @param options.patienceMs see {@link LIMITS}; for tests, as the others are */
  constructor(options: { readers: number; comparisons: Comparisons } & Partial<typeof LIMITS>) {
    this.#slots = new FairSlots(options.readers, options.readers * WAITING_PER_READER)
    this.#comparisons = options.comparisons
    this.#limits = { ...LIMITS, ...options }
  }

  get load(): { running: number; waiting: number } {
    return this.#slots.load
  }

  /**
   * One page, newest first: the main line's commits that changed what the scope names.
   * @param repository runs what it is given on the git directory, as `store.readGit` does
   * @throws Failure `unsupported` without git; `unavailable` when too many wait, git fails or is silent for long;
   * `invalid` for a cursor of another scope
   */
  async page(
    request: PageRequest,
    repository: (use: (gitDir: string) => Promise<Page>) => Promise<Page>,
  ): Promise<Page> {
    await requireGit('The history')
    const read = async () => {
      const late = AbortSignal.timeout(this.#limits.longestMs)
      const { signal } = request
      return repository(gitDir => this.#read(gitDir, request, AbortSignal.any([signal, late]))).catch(error => {
        throw error === late.reason ? tooLong() : error
      })
    }
    return this.#slots.inTurn(request.signal, busy, read, { claimant: request.claimant })
  }

  async #read(gitDir: string, request: PageRequest, signal: AbortSignal): Promise<Page> {
    const { scope, from, cursor, limit, patienceMs = this.#limits.patienceMs } = request
    const commits = log({
      gitDir,
      from: cursor?.revision ?? from,
      pathspec: pathspecOf(scope),
      author: scope.author,
      countedAs: path => countedIn(scope, path),
      mostFiles: scope.key === undefined ? this.#limits.mostFiles : MOST_LANGUAGES,
      signal,
    })
    const objects = await CatFile.start(gitDir, signal)
    try {
      const source = { commits, objects, comparisons: this.#comparisons.of(gitDir) }
      const options = { scope, cursor, limit, until: performance.now() + patienceMs }
      return await (scope.key === undefined ? readCounts(source, options) : readKey(source, scope.key, options))
    } finally {
      objects.close()
    }
  }
}

const busy = () =>
  new Failure('unavailable', 'Too many requests for the history are waiting; try again in a moment.', {
    retryAfter: RETRY_SECONDS,
  })

const tooLong = () => new Failure('unavailable', 'Reading this history lasts too long; ask for less of it.')

/** What `git log` looks for. Bloom filters know no wildcards: a namespace in all languages is compared by trees. */
function pathspecOf({ slug, language, namespace }: HistoryScope): string {
  if (language !== undefined && namespace !== undefined) return bundlePath({ slug, language, namespace })
  if (language !== undefined) return languagePath(slug, language)
  return namespace === undefined ? slug : `:(glob)${bundlePath({ slug, language: '*', namespace })}`
}

/** What a file is, if in the scope: of a whole project its own file and its sidecars, too. */
function countedIn({ slug, language, namespace }: HistoryScope, path: string): Counted | undefined {
  const isWhole = language === undefined && namespace === undefined
  if (sidecarFile(path) || glossaryFile(path)) return isWhole ? 'uncompared' : undefined
  const place = ownFile(path)
  if (place?.slug !== slug) return undefined
  if (place.kind === 'project') return isWhole ? 'uncompared' : undefined
  const isIn = (language ?? place.language) === place.language && (namespace ?? place.namespace) === place.namespace
  return isIn ? { language: place.language } : undefined
}
