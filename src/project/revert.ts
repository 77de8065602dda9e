/**
 * Reverts a project, or a part of it: what differs between two states goes back to the earlier one, on top of now. An
 * undo reverts what a commit changed. A restore reverts all changes since a state, so its later state is now.
 */
import { quoteSome } from '../bundle/complaints.ts'
import type { BundleChange } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import { asBuffer } from '../bundle/file-change.ts'
import { shortKey } from '../bundle/names.ts'
import { threeWay } from '../bundle/three-way.ts'
import type { Steps } from '../scheduling/steps.ts'
import { refuseSlugTwin, refuseTwinsAmong } from './case-twins.ts'
import { changedInSteps, type ProjectPart } from './changed-files.ts'
import { fieldsOf } from './diff.ts'
import { glossaryAt, glossaryPath } from './glossary-file.ts'
import {
  bundlesOf,
  findProject,
  hasLanguage,
  hasNamespace,
  idOf,
  noProject,
  projectIn,
  requireProject,
} from './layout.ts'
import { type BundleName, bundlePath, localesPath, type Project, projectPath, renderProject } from './project.ts'
import { FirstRows, type RevertPlan, type SkippedKey } from './revert-plan.ts'
import type { State } from './state.ts'
import { MAX_ROWS, type RevertOutcome, type RevertTask } from './versions.ts'

/** A project, a part of it, or a key in its namespace. */
export interface RevertScope extends ProjectPart {
  key?: string | undefined
}

/** What differs between these states goes back to `before`. */
export interface RevertStates {
  before: State
  after: State
}

/** A bundle that may change, by its blob ids now and in both states; null where it is absent. */
export interface RevertBundle extends BundleName {
  path: string
  now: string | null
  before: string | null
  after: string | null
}

/** The project in the earlier state and now, and the project to write. */
interface Projects {
  past: Project | undefined
  present: Project | undefined
  target: Project
  /** Why some fields stay. */
  reason?: string | undefined
}

/** One revert of one state. When the state moves on, the caller creates another. */
export class Reversion {
  readonly scope: RevertScope
  /** Whether the source language's places of the earlier state count: its bundles go back, too. */
  readonly restoresSource: boolean
  readonly #now: State
  readonly #states: RevertStates
  readonly #projects: Projects
  /** Names the restored state in sentences; undefined for an undo. */
  readonly #when: string | undefined

  private constructor(now: State, states: RevertStates, scope: RevertScope, projects: Projects, when?: string) {
    this.#now = now
    this.#states = states
    this.scope = scope
    this.restoresSource = when !== undefined && scope.language === undefined
    this.#projects = projects
    this.#when = when
  }

  /**
   * Restores a scope as it was.
   * @param when names the earlier state in sentences
   * @throws Failure `not-found` when that state lacks the scope (a restore deletes nothing), or now lacks the project
   * of a part
   */
  static toState(now: State, then: State, scope: RevertScope, when: string): Reversion {
    const { slug, language, namespace } = scope
    const isWhole = language === undefined && namespace === undefined
    const past = findProject(then, slug)
    if (!past) {
      requireProject(now, slug)
      throw new Failure('not-found', `There was no project "${slug}" ${when}.`)
    }
    const present = findProject(now, slug)
    if (!present && !isWhole) {
      throw new Failure('not-found', `There is no project "${slug}" any more: restore the whole of it, not a part.`)
    }
    const unknown = unknownPart(then, past, scope)
    if (unknown !== undefined) throw notThen(slug, unknown, when)
    const projects = { past, present, target: isWhole ? past : present! }
    return new Reversion(now, { before: then, after: now }, scope, projects, when)
  }

  /**
   * Undoes what a commit did to a project.
   * @param revision the commit's full id, for sentences
   * @throws Failure `not-found` when there is no such project, or the commit changed nothing of it; `unfit` when it
   * created the project
   */
  static ofCommit(now: State, states: RevertStates, slug: string, revision: string): Reversion {
    const { before, after } = states
    const path = projectPath(slug)
    const [had, has] = [before, after].map(state => state.entry(path)?.id)
    const present = findProject(now, slug)
    if (!present && had === undefined) throw noProject(slug)
    if (before.entry(slug)?.id === after.entry(slug)?.id) {
      const what = `Revision ${revision.slice(0, 7)} changed nothing of project "${slug}"`
      throw new Failure('not-found', `${what}: its history names those that did.`)
    }
    if (had === undefined && has !== undefined) {
      const what = `Revision ${revision.slice(0, 7)} created project "${slug}"`
      throw new Failure('unfit', `${what}: to have it gone with all that came since, DELETE /api/projects/${slug}.`)
    }
    // A person may have broken the project's file: its fields are unknown then.
    const past = has === undefined ? findProject(before, slug) : projectIn(before, slug)
    if (!present && has !== undefined) {
      throw new Failure('not-found', `There is no project "${slug}" any more: undo its deletion first, or restore it.`)
    }
    const { target, since } = targetOf(past, projectIn(after, slug), present)
    const isAgain = present && had !== undefined && has === undefined
    const changed = since.length > 0 ? `Changed since: ${quoteSome(since)}.` : undefined
    const reason = isAgain ? `There is a project "${slug}" again.` : changed
    return new Reversion(now, states, { slug }, { past, present, target, reason })
  }

  /** The project's own file, if it changes; that needs more rights. @throws Failure `conflict` for a slug in use */
  projectFile(): Buffer | undefined {
    const { present, target } = this.#projects
    if (target === present) return undefined
    const path = projectPath(target.slug)
    const bytes = renderProject(target)
    // A file that a person wrote in another form stays as it is, if it is the same in both states.
    if (present && this.#states.before.entry(path)?.id === this.#now.entry(path)?.id) return undefined
    if (this.#now.read(path)?.equals(bytes)) return undefined
    if (!present) refuseSlugTwin(this.#now, target.slug)
    return bytes
  }

  /**
   * The different bundles of the states. If the format changes, also those that are not in the earlier state. By
   * language and namespace, one step a language.
   */
  *changed(): Steps<RevertBundle[]> {
    const { before, after } = this.#states
    const changed = yield* changedInSteps(before, after, this.scope)
    const bundles = changed.map(bundle => ({ ...bundle, now: idOf(this.#now, bundle) }))
    if (this.target === this.format) return bundles
    const known = new Set(bundles.map(({ path }) => path))
    for (const bundle of bundlesOf(this.#now, this.scope.slug)) {
      const [path, now, id] = [bundlePath(bundle), idOf(this.#now, bundle), idOf(before, bundle)]
      if (!known.has(path) && now !== id) bundles.push({ ...bundle, path, now, before: id, after: id })
      yield
    }
    return bundles
  }

  /** The equal bundles of the scope's namespace. They may have the key if no other bundle had it. */
  unchanged(): RevertBundle[] {
    const { slug, language, namespace } = this.scope
    const { before } = this.#states
    const languages = language === undefined ? before.list(localesPath(slug)).map(({ name }) => name) : [language]
    return languages.flatMap(name => {
      const bundle = { slug, language: name, namespace: namespace! }
      const id = idOf(before, bundle)
      const isEqual = id !== null && id === idOf(this.#now, bundle)
      return isEqual ? [{ ...bundle, path: bundlePath(bundle), now: id, before: id, after: id }] : []
    })
  }

  /** The present format of the bundles. */
  get format(): Project['defaultFormat'] {
    const { present, target } = this.#projects
    return (present ?? target).defaultFormat
  }

  /** The format to write. */
  get target(): Project['defaultFormat'] {
    return this.#projects.target.defaultFormat
  }

  /** The source language of this project has the places of keys that return; undefined without a project. */
  get sourceProject(): Project | undefined {
    return this.restoresSource ? this.#projects.past : this.#projects.present
  }

  /** The task for a bundle. @param states perhaps read again @param listsChanges whether changes are asked for */
  taskOf(
    { path, now, after }: RevertBundle,
    present: Uint8Array | null,
    states: RevertStates,
    listsChanges: boolean,
  ): RevertTask {
    const { past, target } = this.#projects
    return {
      path,
      present,
      before: states.before.read(path) ?? null,
      after: now === after ? undefined : (states.after.read(path) ?? null),
      formats: { present: this.format, before: (past ?? target).defaultFormat, target: this.target },
      key: this.scope.key ?? null,
      most: listsChanges ? MAX_ROWS : 0,
    }
  }

  /**
   * In steps, as there may be thousands of bundles.
   * @param outcomes of {@link changed}, in its order
   * @throws Failure `conflict` when a name would differ only in case from an existing one
   */
  *plan(bundles: RevertBundle[], outcomes: RevertOutcome[]): Steps<RevertPlan> {
    const { present, target, reason } = this.#projects
    const own = this.projectFile()
    const files: RevertPlan['files'] = own ? [{ path: projectPath(target.slug), bytes: own }] : []
    files.push(...this.#glossary())
    const counts = { added: 0, updated: 0, removed: 0 }
    const [changes, skipped] = [new FirstRows<BundleChange>(), new FirstRows<SkippedKey>()]
    const languages = new Set<string>()
    const created: BundleName[] = []
    let skippedKeys = 0
    for (const [at, outcome] of outcomes.entries()) {
      const { path, language, namespace, now } = bundles[at]!
      skippedKeys += outcome.skippedKeys
      skipped.add(outcome.skipped.map(row => ({ language, namespace, ...row })))
      const { bytes } = outcome
      if (bytes === undefined) continue
      files.push({ path, bytes: bytes && asBuffer(bytes) })
      languages.add(language)
      if (bytes !== null && now === null) created.push(bundles[at]!)
      for (const name of ['added', 'updated', 'removed'] as const) counts[name] += outcome.counts[name]
      changes.add(outcome.changes.map(change => ({ language, namespace, ...change })))
    }
    const gone = files.filter(({ bytes }) => bytes === null).map(({ path }) => path)
    yield
    yield* refuseTwinsAmong(this.#now, target, created, gone, own !== undefined)
    const [before, after] = [present ? fieldsOf(present) : null, fieldsOf(target)]
    const isSame = reason === undefined && JSON.stringify(before) === JSON.stringify(after)
    return {
      files,
      counts,
      changes: changes.rows,
      languages: [...languages].sort(),
      project: isSame ? undefined : { before, after, ...(reason !== undefined && { reason }) },
      skipped: skipped.rows,
      skippedKeys,
    }
  }

  /** The project's glossary, if it goes back, too: with the whole project, and unless it changed since. */
  #glossary(): RevertPlan['files'] {
    const { slug, language, namespace } = this.scope
    if (language !== undefined || namespace !== undefined) return []
    const { before, after } = this.#states
    const [was, became, is] = [before, after, this.#now].map(state => glossaryAt(state, slug).id)
    if (threeWay(became, is, was) !== 'theirs') return []
    return [{ path: glossaryPath(slug), bytes: glossaryAt(before, slug).bytes }]
  }

  /** The failure for a key that no bundle had. */
  unknownKey(): Failure {
    return notThen(this.scope.slug, `key or form ${JSON.stringify(shortKey(this.scope.key!))}`, this.#when!)
  }
}

/** A part that a state lacks, in words. */
function unknownPart(then: State, past: Project, { slug, language, namespace }: ProjectPart): string | undefined {
  if (language !== undefined && namespace !== undefined) {
    return idOf(then, { slug, language, namespace }) === null ? `bundle "${namespace}" in "${language}"` : undefined
  }
  if (language !== undefined) return hasLanguage(then, past, language) ? undefined : `language "${language}"`
  if (namespace === undefined || hasNamespace(then, slug, namespace)) return undefined
  return `namespace "${namespace}"`
}

const notThen = (slug: string, what: string, when: string): Failure =>
  new Failure('not-found', `Project "${slug}" had no ${what} ${when}: delete what is to go.`)

const FIELDS = ['name', 'sourceLanguage', 'defaultFormat', 'interpolation', 'checks', 'review'] as const

/** The project with the fields reverted that are as the commit left them, and the names of the others. */
function targetOf(
  past: Project | undefined,
  left: Project | undefined,
  present: Project | undefined,
): { target: Project; since: string[] } {
  if (!present) return { target: past!, since: [] }
  const back: Partial<Record<(typeof FIELDS)[number], unknown>> = {}
  const since: string[] = []
  for (const field of past && left ? FIELDS : []) {
    const [was, became, is] = [past, left, present].map(project => JSON.stringify(project![field]))
    const way = threeWay(became, is, was)
    if (way === 'theirs') back[field] = past![field]
    else if (way === 'conflict') since.push(field)
  }
  const isSame = Object.keys(back).length === 0
  return { target: isSame ? present : ({ ...present, ...back } as Project), since }
}
