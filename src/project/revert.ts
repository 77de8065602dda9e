/** Undoing what one commit did to a project, on top of what it is now. */
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import { refuseSlugTwin } from './case-twins.ts'
import { type ChangedBundle, changedInSteps, order } from './changed-files.ts'
import { type Fields, type FieldsChange, fieldsOf } from './diff.ts'
import { bundlesOf, findProject, idOf, noProject, projectIn } from './layout.ts'
import { MOST_TOLD, type Plan, planOf, Told } from './plan.ts'
import { type BundleName, bundlePath, type Project, projectPath, renderProject } from './project.ts'
import type { State } from './state.ts'
import type { RevertOutcome, RevertTask } from './versions.ts'

/** The states of a commit and of its parent. */
export interface CommitStates {
  before: State
  after: State
}

/** A key that stays as it is, and why. */
export type SkippedKey = Omit<BundleName, 'slug'> & RevertOutcome['skipped'][number]

/** A plan, and what is not undone. */
export interface RevertPlan extends Plan {
  /** What becomes of the project's own fields, if the commit changed them; the reason is why some stay. */
  project: (FieldsChange & { reason?: string }) | undefined
  /** The first by language, namespace and key; `skippedKeys` are all. */
  skipped: SkippedKey[]
  skippedKeys: number
}

/** One undoing. If the state moves on meanwhile, another one is made. */
export class Reversion {
  readonly #slug: string
  readonly #now: State
  readonly #states: CommitStates
  readonly #past: Project | undefined
  readonly #present: Project | undefined
  /** The project as it will be, and why some of its fields stay. */
  readonly #target: Project
  readonly #reason: string | undefined

  /**
   * @param revision the commit's full id, for sentences
   * @throws Failure `not-found` when there is no such project, or the commit changed nothing of it; `unfit` when it
   * created the project
   */
  constructor(now: State, states: CommitStates, slug: string, revision: string) {
    this.#slug = slug
    this.#now = now
    this.#states = states
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
    // A person may have broken its file, which then tells nothing.
    const past = has === undefined ? findProject(before, slug) : projectIn(before, slug)
    if (!present && has !== undefined) {
      throw new Failure('not-found', `There is no project "${slug}" any more: undo its deletion first, or restore it.`)
    }
    this.#past = past
    this.#present = present
    const { target, since } = targetOf(past, projectIn(after, slug), present)
    this.#target = target
    if (present && had !== undefined && has === undefined) this.#reason = `There is a project "${slug}" again.`
    else if (since.length > 0) this.#reason = `Changed since: ${quoteSome(since)}.`
  }

  /** The project's own file, if it changes, which takes more rights. @throws Failure `conflict` for a taken slug */
  projectFile(): Buffer | undefined {
    if (!this.#present) refuseSlugTwin(this.#now, this.#slug)
    return this.#present === this.#target ? undefined : renderProject(this.#target)
  }

  /** What the commit changed, and all when the format goes back; by language and namespace, one step a language. */
  *changed(): Generator<undefined, ChangedBundle[], undefined> {
    const { before, after } = this.#states
    const changed = yield* changedInSteps(after, before, { slug: this.#slug })
    const bundles = changed.map(bundle => ({ ...bundle, before: idOf(this.#now, bundle) }))
    if (this.#target.defaultFormat === this.format) return bundles
    const known = new Set(bundles.map(({ path }) => path))
    for (const bundle of bundlesOf(this.#now, this.#slug)) {
      const [path, id] = [bundlePath(bundle), idOf(this.#now, bundle)]
      if (!known.has(path)) bundles.push({ ...bundle, path, before: id, after: id })
      yield
    }
    return bundles
  }

  /** The bundles' present format. */
  get format(): Project['defaultFormat'] {
    return (this.#present ?? this.#target).defaultFormat
  }

  /** The format to write. */
  get target(): Project['defaultFormat'] {
    return this.#target.defaultFormat
  }

  /** The task for a bundle. @param states perhaps read anew @param tells whether changes are asked for */
  taskOf(bundle: BundleName, present: Uint8Array | null, { before, after }: CommitStates, tells: boolean): RevertTask {
    const path = bundlePath(bundle)
    return {
      path,
      present,
      before: before.read(path) ?? null,
      after: after.read(path) ?? null,
      formats: { present: this.format, before: (this.#past ?? this.#target).defaultFormat, target: this.target },
      most: { changes: tells ? MOST_TOLD.rows : 0, skipped: MOST_TOLD.rows },
    }
  }

  /**
   * @param outcomes of {@link changed}, in its order
   * @throws Failure `conflict` when a name would differ only in case from an existing one
   */
  *plan(changed: ChangedBundle[], outcomes: RevertOutcome[]): Generator<undefined, RevertPlan, undefined> {
    const told = new Told<SkippedKey>()
    let skippedKeys = 0
    for (const [at, outcome] of outcomes.entries()) {
      const { language, namespace } = changed[at]!
      skippedKeys += outcome.skippedKeys
      for (const one of outcome.skipped) if (!told.add({ language, namespace, ...one })) break
    }
    const plan = yield* planOf(this.#now, this.#target, this.projectFile(), changed, outcomes)
    return { ...plan, project: this.#fields(), skipped: told.rows, skippedKeys }
  }

  #fields(): RevertPlan['project'] {
    if (this.#target === this.#present && this.#reason === undefined) return undefined
    const before = this.#present ? fieldsOf(this.#present) : null
    return { before, after: fieldsOf(this.#target), ...(this.#reason !== undefined && { reason: this.#reason }) }
  }
}

/**
 * The plan of undoing several commits, each on top of the one before.
 * @param total which files and keys differ in the end @param plans of each commit, in the order of undoing
 */
export function together(total: RevertPlan, plans: readonly RevertPlan[]): RevertPlan {
  const skipped = new Map<string, SkippedKey>()
  let untold = 0
  for (const plan of plans) {
    untold += plan.skippedKeys - plan.skipped.length
    for (const one of plan.skipped) {
      const name = JSON.stringify([one.language, one.namespace, one.key])
      if (!skipped.has(name)) skipped.set(name, one)
    }
  }
  const sorted = [...skipped].sort(([a], [b]) => order(a, b)).map(([, one]) => one)
  const told = new Told<SkippedKey>()
  for (const one of sorted) if (!told.add(one)) break
  const fields = plans.flatMap(({ project }) => project ?? [])
  const reasons = [...new Set(fields.flatMap(({ reason }) => reason ?? []))]
  const project = fields.length === 0 ? undefined : { before: fields[0]!.before, after: fields.at(-1)!.after }
  return {
    ...total,
    project: project && { ...project, ...(reasons.length > 0 && { reason: reasons.join(' ') }) },
    skipped: told.rows,
    skippedKeys: sorted.length + untold,
  }
}

const FIELDS = ['name', 'sourceLanguage', 'defaultFormat', 'interpolation'] as const

/** The project with those fields taken back that are as the commit left them, itself without any; and the others' names. */
function targetOf(
  past: Project | undefined,
  left: Project | undefined,
  present: Project | undefined,
): { target: Project; since: string[] } {
  if (!present) return { target: past!, since: [] }
  const back: Partial<Record<keyof Fields, unknown>> = {}
  const since: string[] = []
  for (const field of past && left ? FIELDS : []) {
    const [was, became, is] = [past, left, present].map(project => JSON.stringify(project![field]))
    if (was === became || is === was) continue
    if (is === became) back[field] = past![field]
    else since.push(field)
  }
  const isSame = Object.keys(back).length === 0
  return { target: isSame ? present : ({ ...present, ...back } as Project), since }
}
