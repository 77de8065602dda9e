/** Two states of a project compared file by file: a page of keys, and counts of all. */
import type { BundleChange, ChangeCounts } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import { type ChangedBundle, order, type ProjectPart } from './changed-files.ts'
import { findProject, hasLanguage, hasNamespace } from './layout.ts'
import type { BundleName, Project } from './project.ts'
import type { State } from './state.ts'
import { type DiffAnswer, type DiffTask, sizeOf } from './versions.ts'

/** A key in a project. */
export interface KeyPosition extends Omit<BundleName, 'slug'> {
  key: string
}

/** A project's own fields. */
export type Fields = Omit<Project, 'slug'>

/** The project's own fields, null without a project. */
export interface FieldsChange {
  before: Fields | null
  after: Fields | null
}

/** Bytes of messages on a page, beside its last change. */
const PAGE_BYTES = 8 * 2 ** 20

/** Changes of the project's own fields, if whole. @throws Failure `not-found` for what neither state has */
export function changedFields(before: State, after: State, part: ProjectPart): FieldsChange | undefined {
  const { slug, language, namespace } = part
  const states = [before, after].map(state => ({ state, project: findProject(state, slug) }))
  const has = (look: (state: State, project: Project) => boolean) =>
    states.some(({ state, project }) => project !== undefined && look(state, project))
  if (!has(() => true)) throw new Failure('not-found', `There is no project "${slug}" in either state.`)
  if (language !== undefined && !has((state, project) => hasLanguage(state, project, language))) {
    throw new Failure('not-found', `Project "${slug}" has no language "${language}" in either state.`)
  }
  if (namespace !== undefined && !has(state => hasNamespace(state, slug, namespace))) {
    throw new Failure('not-found', `Project "${slug}" has no namespace "${namespace}" in either state.`)
  }
  if (language !== undefined || namespace !== undefined) return undefined
  const [old, now] = states.map(({ project }) => (project ? fieldsOf(project) : null)) as [Fields | null, Fields | null]
  return JSON.stringify(old) === JSON.stringify(now) ? undefined : { before: old, after: now }
}

/** The fields alone. */
export const fieldsOf = ({ name, sourceLanguage, defaultFormat, interpolation, checks }: Project): Fields => ({
  name,
  sourceLanguage,
  defaultFormat,
  ...(interpolation && { interpolation }),
  ...(checks && { checks }),
})

/** One page of a diff, filled bundle by bundle in the order of language and namespace. */
export class DiffPage {
  readonly changes: BundleChange[] = []
  /** Of all pages together. */
  readonly counts: ChangeCounts = { added: 0, updated: 0, removed: 0 }
  readonly #limit: number
  readonly #last: KeyPosition | undefined
  #bytes = 0
  #isFull = false

  /** @param last the previous page's last key */
  constructor(limit: number, last: KeyPosition | undefined) {
    this.#limit = limit
    this.#last = last
  }

  /** The last key here, when there are more. */
  get next(): KeyPosition | null {
    if (!this.#isFull) return null
    const { language, namespace, key } = this.changes.at(-1)!
    return { language, namespace, key }
  }

  /** Whether a bundle's keys cannot be on this page, so that its counts suffice. */
  needsCounts(bundle: ChangedBundle): boolean {
    return this.#isFull || this.#order(bundle) < 0
  }

  /** The task of comparing a bundle, without its versions. */
  wants(bundle: ChangedBundle): Omit<DiffTask, 'before' | 'after'> {
    const most = this.needsCounts(bundle) ? 0 : this.#limit - this.changes.length
    return { behind: this.#order(bundle) === 0 ? this.#last!.key : null, most, bytes: PAGE_BYTES - this.#bytes }
  }

  /** Counts a bundle's changes, and lists those that belong here. */
  add(bundle: ChangedBundle, { counts, changes }: DiffAnswer): void {
    this.count(counts)
    if (this.needsCounts(bundle)) return
    for (const change of changes) {
      if (this.changes.length === this.#limit || this.#bytes > PAGE_BYTES) {
        this.#isFull = true
        return
      }
      this.#bytes += sizeOf(change)
      this.changes.push({ language: bundle.language, namespace: bundle.namespace, ...change })
    }
  }

  /** Counts a bundle's changes. */
  count(counts: ChangeCounts): void {
    for (const name of ['added', 'updated', 'removed'] as const) this.counts[name] += counts[name]
  }

  /** Negative: the bundle is on earlier pages; zero: this page begins in it. */
  #order({ language, namespace }: BundleName): number {
    return this.#last ? order(language, this.#last.language) || order(namespace, this.#last.namespace) : 1
  }
}
