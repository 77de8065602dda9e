/** The content of an event, and the queries that it outdates. */
import type { Job } from '../api/late-client.ts'

/** A bundle that a commit changed; `etag` is null for a deleted one. */
interface LiveBundleChange {
  language: string
  namespace: string
  etag: string | null
  /** Where the commit touches several projects. */
  project?: string
}

/** A commit as `/api/events` sends it (docs/live-events.md). */
export interface LiveChange {
  revision: string
  /** Null for a commit that touches none or several. */
  project: string | null
  author: { name: string; email: string }
  date: string
  subject: string
  bundles: LiveBundleChange[]
}

/** How far a run of a machine over a project is. `project` is the slug; `refused` is a count. */
type LiveJob = Pick<Job, 'id' | 'state' | 'done' | 'of' | 'written'> & { project: string; refused: number }

/** A commit, a gap of unknown commits, or a run. `id` is the newest revision that is covered. */
export type LiveEvent =
  | { event: 'change'; id: string; change: LiveChange }
  | { event: 'reset'; id: string }
  | { event: 'job'; id: string; job: LiveJob }

/** Maximum number of own marks to remember. An event follows its write within seconds. */
const MOST_MARKS = 500

/**
 * The writes of this tab, so that events do not refetch data that the answers already had. Events during a write wait
 * for its end: they may belong to it.
 */
export class OwnWrites {
  readonly #marks = new Set<string>()
  readonly #underWay = new Set<Promise<unknown>>()

  /** @param write calls `note` with the revision or the `ETag` of its answer, once the answer is in the cache */
  async write<T>(write: (note: (mark: string | null | undefined) => void) => Promise<T>): Promise<T> {
    const done = write(mark => {
      if (!mark) return
      this.#marks.add(mark)
      if (this.#marks.size > MOST_MARKS) this.#marks.delete(this.#marks.values().next().value!)
    })
    this.#underWay.add(done)
    try {
      return await done
    } finally {
      this.#underWay.delete(done)
    }
  }

  /** Resolves when all writes under way have ended, failed ones too; undefined when there is none. */
  settled(): Promise<unknown> | undefined {
    return this.#underWay.size === 0 ? undefined : Promise.allSettled(this.#underWay)
  }

  /** Whether the cache has this version of a bundle from an own write. */
  has({ revision }: LiveChange, { etag }: LiveBundleChange): boolean {
    return this.#marks.has(revision) || (etag !== null && this.#marks.has(etag))
  }
}

/** Stands for the notes, the comments and the glossary among the names of bundles, which have no slash in front. */
const NOTES = '/notes'
/** The queries that own saves of texts leave as they are. */
const BESIDE_TEXTS: ReadonlySet<unknown> = new Set(['notes', 'comments', 'glossary', 'terms'])

/** The queries that a batch of commits outdates, so that one pass over the cache serves them all. */
export class OutdatedQueries {
  readonly #projects = new Map<string, Set<string>>()
  #isOfOrganization = false

  /** @param own bundles that this tab wrote are skipped; their counts and lists are not */
  add(change: LiveChange, own: OwnWrites): void {
    if (change.project === null) this.#isOfOrganization = true
    // Notes alone have no bundle, and neither has a glossary.
    else if (change.bundles.length === 0) this.#namesOf(change.project).add(NOTES)
    for (const bundle of change.bundles) {
      const slug = bundle.project ?? change.project
      if (slug === null) continue
      const names = this.#namesOf(slug)
      if (own.has(change, bundle)) continue
      names.add(`${bundle.language}/${bundle.namespace}`).add(bundle.language).add(NOTES)
    }
  }

  #namesOf(slug: string): Set<string> {
    const names = this.#projects.get(slug) ?? new Set<string>()
    this.#projects.set(slug, names)
    return names
  }

  /**
   * Whether a query's data is old: `['projects']`; after a commit without a project of its own `['glossary']` and
   * `['project', slug, 'terms']`; of the projects concerned all of `['project', slug, …]`, but of
   * `['project', slug, 'bundle', language, namespace?]` the changed ones alone. Own saves of texts leave the
   * notes, the comments and the glossary.
   */
  concerns([about, slug, kind, language, namespace]: readonly unknown[]): boolean {
    if (about === 'projects') return this.#projects.size > 0
    if (this.#isOfOrganization && (about === 'glossary' || kind === 'terms')) return true
    const names = about === 'project' && typeof slug === 'string' ? this.#projects.get(slug) : undefined
    if (!names) return false
    if (BESIDE_TEXTS.has(kind)) return names.has(NOTES)
    if (kind !== 'bundle' || language === undefined) return true
    return names.has(namespace === undefined ? String(language) : `${language}/${namespace}`)
  }
}
