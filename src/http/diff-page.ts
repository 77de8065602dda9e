/** Comparing two states of a project: a page of the keys that differ, and the counts of all, file by file and in slices. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type DiffAnswer, type DiffTask, sizeOf } from '../bundle/comparison.ts'
import type { ChangeCounts, KeyChange } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import { localesPath, type Project, placeOf } from '../bundle/project.ts'
import { type ChangedFile, changedFiles } from '../store/changed-files.ts'
import { type Comparisons, isLarge } from '../store/comparisons.ts'
import type { Snapshot } from '../store/store.ts'
import { allNamespaces, findProject, languagesOf } from './layout.ts'

/** What is compared of a project. */
export interface DiffScope {
  slug: string
  language?: string | undefined
  namespace?: string | undefined
}

/** Two states by the full ids of their commits; null is before the first one. */
export interface States {
  from: string | null
  to: string | null
}

/** A key among all keys of a project. */
export interface Position {
  language: string
  namespace: string
  key: string
}

type Fields = Omit<Project, 'slug'>

/** A page of a diff. */
export interface DiffPage {
  /** Only when the project's own fields differ and all of it is compared; null where there is no project. */
  project?: { before: Fields | null; after: Fields | null }
  changes: (KeyChange & Position)[]
  /** Of all pages together. */
  counts: ChangeCounts
  /** The last key of the page when there are more. */
  next: Position | null
}

/** What is asked for. */
export interface DiffOptions {
  scope: DiffScope
  /** The last key of the page before. */
  after: Position | undefined
  limit: number
  /** Aborted when the client has left. */
  signal: AbortSignal
  comparisons: Comparisons
}

/** Runs a synchronous look at both states. */
type Look = <T>(use: (before: Snapshot, after: Snapshot) => T) => Promise<T>

interface ChangedBundle extends ChangedFile {
  language: string
  namespace: string
}

/** How long the event loop may be held, where a single file does not take longer. */
const SLICE_MS = 8
/** How many bytes of messages a page may hold, beside its last change. */
const PAGE_BYTES = 8 * 2 ** 20

/** Compares two states. @throws Failure `not-found` for what neither state has, and the reason of `signal` */
export async function readDiff(look: Look, options: DiffOptions): Promise<DiffPage> {
  const { scope, comparisons, signal } = options
  const project = await look((before, after) => projectsOf(before, after, scope))
  const page = new Page(options)
  for (const language of await look((before, after) => changedLanguages(before, after, scope))) {
    const files = await look((before, after) => changedBundles(before, after, language, scope))
    while (files.length > 0) {
      signal.throwIfAborted()
      await yieldToOthers()
      const large = await look((before, after) => {
        const until = performance.now() + SLICE_MS
        do {
          const file = files.shift()!
          const task = page.want(file, before, after)
          if (task && isLarge(task)) return { file, task }
          if (task) page.take(file, comparisons.diff(file, task))
        } while (files.length > 0 && performance.now() < until)
        return undefined
      })
      if (large) page.take(large.file, await comparisons.diffAside(large.file, large.task, signal))
    }
  }
  return { ...project, ...page.result() }
}

/** The project's own fields when they differ and all of it is compared. */
function projectsOf(before: Snapshot, after: Snapshot, scope: DiffScope): Pick<DiffPage, 'project'> {
  const { slug, language, namespace } = scope
  const [was, is] = [findProject(before, slug), findProject(after, slug)]
  if (!was && !is) throw new Failure('not-found', `There is no project "${slug}" in either state.`)
  const has = (look: (snapshot: Snapshot, project: Project) => string[], name: string) =>
    (was && look(before, was).includes(name)) || (is && look(after, is).includes(name))
  if (language !== undefined && !has(languagesOf, language)) {
    throw new Failure('not-found', `Project "${slug}" has no language "${language}" in either state.`)
  }
  if (namespace !== undefined && !has(allNamespaces, namespace)) {
    throw new Failure('not-found', `Project "${slug}" has no namespace "${namespace}" in either state.`)
  }
  const [old, now] = [was, is].map(project => (project ? fieldsOf(project) : null)) as [Fields | null, Fields | null]
  const isPart = language !== undefined || namespace !== undefined
  return isPart || JSON.stringify(old) === JSON.stringify(now) ? {} : { project: { before: old, after: now } }
}

const fieldsOf = ({ name, sourceLanguage, defaultFormat }: Project): Fields => ({ name, sourceLanguage, defaultFormat })

function changedLanguages(before: Snapshot, after: Snapshot, { slug, language }: DiffScope): string[] {
  const folders = [before, after].map(state => new Map(state.list(localesPath(slug)).map(({ name, id }) => [name, id])))
  const [old, now] = folders as [Map<string, string>, Map<string, string>]
  const names = [...new Set([...old.keys(), ...now.keys()])].filter(name => old.get(name) !== now.get(name))
  return names.filter(name => language === undefined || name === language).sort()
}

function changedBundles(before: Snapshot, after: Snapshot, language: string, scope: DiffScope): ChangedBundle[] {
  const bundles = changedFiles(before, after, `${localesPath(scope.slug)}/${language}`).flatMap(file => {
    const place = placeOf(file.path)
    if (place?.kind !== 'bundle') return []
    const { namespace } = place
    return (scope.namespace ?? namespace) === namespace ? [{ ...file, language, namespace }] : []
  })
  return bundles.sort((a, b) => order(a.namespace, b.namespace))
}

/** In code-unit order, as everywhere. */
const order = (a: string, b: string) => (a < b ? -1 : Number(a > b))

class Page {
  readonly #options: DiffOptions
  readonly #changes: DiffPage['changes'] = []
  readonly #counts = { added: 0, updated: 0, removed: 0 }
  #bytes = 0
  #isFull = false

  constructor(options: DiffOptions) {
    this.#options = options
  }

  /** What has to be compared of a bundle; undefined when only its counts are wanted, and are known. */
  want(file: ChangedBundle, before: Snapshot, after: Snapshot): DiffTask | undefined {
    const { comparisons, after: last, limit } = this.#options
    const isPast = this.#isPast(file)
    const known = comparisons.knownCounts(file)
    if (known && (isPast || this.#isFull)) {
      this.#count(known)
      return undefined
    }
    const { path } = file
    const isAt = last?.language === file.language && last.namespace === file.namespace
    return {
      before: before.read(path) ?? null,
      after: after.read(path) ?? null,
      behind: isAt ? last.key : null,
      most: isPast || this.#isFull ? 0 : limit - this.#changes.length,
      bytes: PAGE_BYTES - this.#bytes,
    }
  }

  /** Counts what one bundle changed, and shows as much of it as belongs to the page. */
  take(file: ChangedBundle, { counts, changes }: DiffAnswer): void {
    this.#count(counts)
    if (!this.#isPast(file)) for (const change of changes) this.#show(change, file)
  }

  /** Whether all of a bundle stands on the pages before. */
  #isPast(file: ChangedBundle): boolean {
    const { after: last } = this.#options
    return last !== undefined && order(file.language, last.language) * 2 + order(file.namespace, last.namespace) < 0
  }

  result(): Omit<DiffPage, 'project'> {
    const last = this.#isFull ? this.#changes.at(-1)! : undefined
    const next = last ? { language: last.language, namespace: last.namespace, key: last.key } : null
    return { changes: this.#changes, counts: this.#counts, next }
  }

  #count(counts: ChangeCounts): void {
    for (const name of ['added', 'updated', 'removed'] as const) this.#counts[name] += counts[name]
  }

  #show(change: KeyChange, { language, namespace }: ChangedBundle): void {
    if (this.#isFull) return
    const { limit } = this.#options
    if (this.#changes.length === limit || this.#bytes > PAGE_BYTES) {
      this.#isFull = true
      return
    }
    this.#bytes += sizeOf(change)
    this.#changes.push({ language, namespace, ...change })
  }
}
