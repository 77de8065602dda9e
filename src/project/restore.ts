/** Restoring a project or a part: the files to put and remove, and the keys that change. */
import { Failure } from '../bundle/errors.ts'
import { shortKey } from '../bundle/names.ts'
import { refuseSlugTwin } from './case-twins.ts'
import { type ChangedBundle, changedInSteps, type Part } from './changed-files.ts'
import { findProject, hasLanguage, hasNamespace, idOf, requireProject } from './layout.ts'
import { MOST_TOLD, type Plan, planOf } from './plan.ts'
import { type BundleName, bundlePath, localesPath, type Project, projectPath, renderProject } from './project.ts'
import type { State } from './state.ts'
import type { RestoreOutcome, RestoreTask } from './versions.ts'

/** What to restore. A key needs its namespace. */
export interface RestoreScope extends Part {
  key?: string | undefined
}

/** One restore. If the state moves on meanwhile, another one is made. */
export class Restoration {
  readonly #scope: RestoreScope
  readonly #now: State
  readonly #then: State
  readonly #past: Project
  readonly #present: Project | undefined
  /** The old state's name in sentences. */
  readonly #when: string

  /**
   * @throws Failure `not-found` when there was no such project or part (restoring is no way to delete), or a part's
   * project is gone
   */
  constructor(now: State, then: State, scope: RestoreScope, when: string) {
    this.#scope = scope
    this.#now = now
    this.#then = then
    this.#when = when
    const { slug, language, namespace } = scope
    const past = findProject(then, slug)
    if (!past) {
      requireProject(now, slug)
      throw new Failure('not-found', `There was no project "${slug}" ${when}.`)
    }
    this.#past = past
    this.#present = findProject(now, slug)
    if (!this.#present && !this.#isWhole) {
      throw new Failure('not-found', `There is no project "${slug}" any more: restore the whole of it, not a part.`)
    }
    if (language !== undefined && namespace !== undefined) {
      if (idOf(then, { slug, language, namespace }) === null)
        throw this.#unknown(`bundle "${namespace}" in "${language}"`)
    } else if (language !== undefined) {
      if (!hasLanguage(then, past, language)) throw this.#unknown(`language "${language}"`)
    } else if (namespace !== undefined && !hasNamespace(then, slug, namespace)) {
      throw this.#unknown(`namespace "${namespace}"`)
    }
  }

  /** The project's own file, if it changes, which takes more rights. @throws Failure `conflict` for a taken slug */
  projectFile(): Buffer | undefined {
    if (!this.#isWhole) return undefined
    const { slug } = this.#scope
    const bytes = renderProject(this.#past)
    if (this.#now.read(projectPath(slug))?.equals(bytes)) return undefined
    if (!this.#present) refuseSlugTwin(this.#now, slug)
    return bytes
  }

  /** The differing bundles, by language and namespace, one step a language. */
  changed(): ReturnType<typeof changedInSteps> {
    return changedInSteps(this.#now, this.#then, this.#scope)
  }

  /** The equal bundles that may have the key, asked only if no other had it. */
  unchanged(): BundleName[] {
    const { slug, language, namespace } = this.#scope
    const languages = language === undefined ? this.#then.list(localesPath(slug)).map(({ name }) => name) : [language]
    const bundles = languages.map(name => ({ slug, language: name, namespace: namespace! }))
    return bundles.filter(bundle => {
      const id = idOf(this.#then, bundle)
      return id !== null && id === idOf(this.#now, bundle)
    })
  }

  /** The bundles' present format. */
  get format(): Project['defaultFormat'] {
    return (this.#present ?? this.#past).defaultFormat
  }

  /** The task for a bundle. @param then the past state, perhaps read anew @param tells whether changes are asked for */
  taskOf(bundle: BundleName, present: Uint8Array | null, then: State, tells: boolean): RestoreTask {
    const past = this.#past.defaultFormat
    const path = bundlePath(bundle)
    return {
      path,
      present,
      past: then.read(path) ?? null,
      formats: { present: this.format, past, target: this.#isWhole ? past : this.format },
      key: this.#scope.key ?? null,
      // Nobody asks for them then, and all together may be large.
      most: tells ? MOST_TOLD.rows : 0,
    }
  }

  /**
   * @param outcomes of {@link changed}, in its order
   * @throws Failure `conflict` when a name would differ only in case from an existing one
   */
  *plan(changed: ChangedBundle[], outcomes: RestoreOutcome[]): Generator<undefined, Plan, undefined> {
    const project = this.#isWhole ? this.#past : this.#present!
    return yield* planOf(this.#now, project, this.projectFile(), changed, outcomes)
  }

  /** The failure for a key that was nowhere. */
  unknownKey(): Failure {
    return this.#unknown(`key or form ${JSON.stringify(shortKey(this.#scope.key!))}`)
  }

  get #isWhole(): boolean {
    return this.#scope.language === undefined && this.#scope.namespace === undefined
  }

  #unknown(what: string): Failure {
    return new Failure('not-found', `Project "${this.#scope.slug}" had no ${what} ${this.#when}: delete what is to go.`)
  }
}
