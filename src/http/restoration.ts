/** What restoring a part of a project comes to: which files it puts and removes, and which keys that changes. */
import { parseBundle, renderBundle } from '../bundle/canonical.ts'
import { type ChangeCounts, countChanges, type KeyChange } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import { type Format, sameIgnoringCase } from '../bundle/names.ts'
import { bundlePath, localesPath, type Project, placeOf, projectPath, renderProject } from '../bundle/project.ts'
import { Bundle } from '../bundle/resource.ts'
import { holds, restoreBundle, restoreKey } from '../bundle/restore.ts'
import { changedFiles } from '../store/changed-files.ts'
import type { Snapshot } from '../store/store.ts'
import { stateAt } from './at.ts'
import { short } from './changes.ts'
import { bundlesOf, caseTwin, findProject, languagesOf, type Place, requireProject } from './layout.ts'

/** What is restored: the whole project, or as much of it as is named. Who names a key names its namespace. */
export interface Scope {
  slug: string
  language?: string | undefined
  namespace?: string | undefined
  key?: string | undefined
}

/** A key that a restore changes. */
export interface Change extends KeyChange {
  language: string
  namespace: string
}

/** What is to be done, and what that changes. */
export interface Plan {
  /** What stands where afterwards; null is nothing. */
  files: { path: string; bytes: Buffer | null }[]
  counts: ChangeCounts
  /** The first of the changes, in the order of files and keys; none when they are not asked for. */
  changes: Change[]
  /** The languages of which a bundle changes. */
  languages: string[]
}

/** Most changes that are told, and how many characters they may have before there are no more. */
const MOST_TOLD = { rows: 1_000, characters: 4 * 2 ** 20 }

/** The project as it was, and as it is. */
interface Projects {
  then: Snapshot
  past: Project
  present: Project | undefined
}

/** A bundle that a restore has to look at; `same` when its file is that of then. */
interface Candidate extends Place {
  same: boolean
}

/** What becomes of one bundle. */
interface Outcome {
  /** What its file holds afterwards: null for none, undefined when it stays. */
  bytes: Buffer | null | undefined
  counts: ChangeCounts
  changes: KeyChange[]
  /** Whether it held the key then. */
  held: boolean
}

/**
 * One restore. Reading and comparing bundles takes time, in which the organization's other writes should not have to wait:
 * what comes of each is kept by content, so that it can be found out ahead of the write, and what has changed meanwhile is
 * looked at again.
 */
export class Restoration {
  readonly #scope: Scope
  readonly #revision: string | null
  readonly #tells: boolean
  readonly #outcomes = new Map<string, Outcome>()
  #ahead: Candidate[] | undefined
  #held: boolean

  /**
   * @param revision full id of the commit to go back to; null is the state before the first
   * @param tells whether the changes are asked for
   */
  constructor(scope: Scope, revision: string | null, tells: boolean) {
    this.#scope = scope
    this.#revision = revision
    this.#tells = tells
    this.#held = scope.key === undefined
  }

  /** Whether it changes the project itself or brings it back: that takes more than leave to edit. @throws Failure `not-found` */
  managesProject(now: Snapshot): boolean {
    return this.#projectFile(now, this.#projects(now)) !== undefined
  }

  /**
   * Finds out in advance what it can.
   * @param until when to stop, by the clock of `performance.now()`
   * @returns whether that was all
   * @throws Failure as {@link plan} does
   */
  prepare(now: Snapshot, until: number): boolean {
    const projects = this.#projects(now)
    this.#ahead ??= this.#candidates(now, projects).reverse()
    for (let next = this.#ahead.pop(); next; next = this.#ahead.pop()) {
      this.#outcome(now, projects, next)
      if (performance.now() >= until) return false
    }
    return true
  }

  /**
   * What there is to do in a state.
   * @throws Failure `not-found` when what is to be restored did not exist then: restoring is no way to delete; `conflict` when
   *   a name would differ only in case from one that is there; `unfit` for a file that is no bundle, or where a key cannot go
   */
  plan(now: Snapshot): Plan {
    const projects = this.#projects(now)
    const plan: Plan = { files: [], counts: { added: 0, updated: 0, removed: 0 }, changes: [], languages: [] }
    const file = this.#projectFile(now, projects)
    if (file) plan.files.push({ path: projectPath(this.#scope.slug), bytes: file })
    const places = this.#candidates(now, projects)
    const told = { ...MOST_TOLD }
    for (const place of places) {
      const { bytes, counts, changes } = this.#outcome(now, projects, place)
      if (bytes === undefined) continue
      plan.files.push({ path: pathOf(place), bytes })
      plan.counts.added += counts.added
      plan.counts.updated += counts.updated
      plan.counts.removed += counts.removed
      for (const change of changes) {
        if (told.rows <= 0 || told.characters <= 0) break
        plan.changes.push({ language: place.language, namespace: place.namespace, ...change })
        told.rows--
        told.characters -= JSON.stringify(change).length
      }
    }
    if (!this.#held) throw this.#unknownThen(`key or form ${JSON.stringify(short(this.#scope.key!))}`)
    const touched = new Map(plan.files.map(({ path, bytes }) => [path, bytes]))
    this.#refuseTwins(now, projects, touched)
    const isTouched = (place: Place) => touched.has(pathOf(place))
    plan.languages = [...new Set(places.filter(isTouched).map(({ language }) => language))].sort()
    return plan
  }

  /** @throws Failure `not-found` when there was no such project or part of it then, or a part has no project to come back to */
  #projects(now: Snapshot): Projects {
    const { slug, language, namespace } = this.#scope
    const then = stateAt(now, this.#revision)
    const past = findProject(then, slug)
    const present = findProject(now, slug)
    if (!past) {
      requireProject(now, slug)
      throw this.#unknownThen()
    }
    if (!present && (language ?? namespace) !== undefined) {
      throw new Failure('not-found', `There is no project "${slug}" any more: restore the whole of it, not a part.`)
    }
    if (language !== undefined && namespace !== undefined) {
      const path = bundlePath(slug, language, namespace)
      if (then.entry(path)?.kind !== 'blob') throw this.#unknownThen(`bundle "${namespace}" in "${language}"`)
    } else if (language !== undefined) {
      if (!languagesOf(then, past).includes(language)) throw this.#unknownThen(`language "${language}"`)
    } else if (namespace !== undefined) {
      const had = (language: string) => then.entry(bundlePath(slug, language, namespace))?.kind === 'blob'
      if (!languagesOf(then, past).some(had)) throw this.#unknownThen(`namespace "${namespace}"`)
    }
    return { then, past, present }
  }

  /** The project's own file, when that is restored and differs. @throws Failure `conflict` when its slug is taken by now */
  #projectFile(now: Snapshot, { past, present }: Projects): Buffer | undefined {
    const { slug, language, namespace } = this.#scope
    if ((language ?? namespace) !== undefined) return undefined
    const bytes = renderProject(past)
    if (now.read(projectPath(slug))?.equals(bytes)) return undefined
    const twin = present ? undefined : now.list('').find(({ name }) => name !== slug && sameIgnoringCase(name, slug))
    if (twin && findProject(now, twin.name)) {
      throw new Failure('conflict', `The slug "${slug}" is taken by project "${twin.name}".`)
    }
    return bytes
  }

  /** The bundles of which anything may change, in the order of their files; behind them those where the key may have stood. */
  #candidates(now: Snapshot, { then }: Projects): Candidate[] {
    const { slug, language, namespace, key } = this.#scope
    const folder = localesPath(slug)
    if (namespace === undefined) {
      const changed = changedFiles(now, then, language === undefined ? folder : `${folder}/${language}`)
      return placesAt(changed.map(({ path }) => path)).map(place => ({ ...place, same: false }))
    }
    const listed = [...now.list(folder), ...then.list(folder)].map(({ name }) => name)
    const languages = language === undefined ? [...new Set(listed)].sort() : [language]
    const places = placesAt(languages.map(name => bundlePath(slug, name, namespace)))
    const candidates = places.map(place => ({ ...place, same: idAt(now, place) === idAt(then, place) }))
    const rest = key === undefined ? [] : candidates.filter(({ same }) => same)
    return [...candidates.filter(({ same }) => !same), ...rest]
  }

  #outcome(now: Snapshot, projects: Projects, place: Candidate): Outcome {
    // Where nothing changes there is only to find out whether the key was there, until that is known.
    if (place.same && this.#held) return UNCHANGED
    const id = `${pathOf(place)} ${idAt(now, place)} ${projects.present?.defaultFormat}`
    let outcome = this.#outcomes.get(id)
    if (!outcome) this.#outcomes.set(id, (outcome = this.#restore(now, projects, place)))
    this.#held ||= outcome.held
    return outcome
  }

  #restore(now: Snapshot, { then, past, present }: Projects, place: Place): Outcome {
    const { key, language, namespace } = this.#scope
    const format = (present ?? past).defaultFormat
    const before = this.#bundleAt(now, place, format)
    const after = this.#bundleAt(then, place, past.defaultFormat)
    if (key !== undefined) {
      const held = after !== undefined && holds(after, key)
      const from = before ?? Bundle.empty(format)
      const { bundle, changes } = restoreKey(from, after ?? Bundle.empty(format), key)
      const bytes = bundle === from ? undefined : bundle.size === 0 ? null : renderBundle(bundle)
      return this.#told({ bytes, changes, held })
    }
    const whole = (language ?? namespace) === undefined
    const target = whole ? past.defaultFormat : format
    const { bundle, changes } = restoreBundle(before ?? Bundle.empty(format), after ?? Bundle.empty(target), target)
    const bytes = after && renderBundle(bundle)
    const unchanged = bytes && now.read(pathOf(place))?.equals(bytes)
    return this.#told({ bytes: unchanged ? undefined : (bytes ?? null), changes, held: false })
  }

  /** What has been found out, without what nobody will ask for: all of it together may be large. */
  #told({ bytes, changes, held }: Omit<Outcome, 'counts'>): Outcome {
    const told = this.#tells ? changes.slice(0, MOST_TOLD.rows) : []
    return { bytes, counts: countChanges(changes), changes: told, held }
  }

  #bundleAt(snapshot: Snapshot, place: Place, format: Format): Bundle | undefined {
    const bytes = snapshot.entry(pathOf(place))?.kind === 'blob' ? snapshot.read(pathOf(place)) : undefined
    try {
      return bytes && parseBundle(bytes, format)
    } catch (error) {
      // Commits that people make with git are mended by others on top, but stay in the history.
      if (!(error instanceof Failure)) throw error
      throw new Failure('unfit', `The file ${pathOf(place)} of then cannot be restored: ${error.message}`)
    }
  }

  /** Refuses a language or namespace that comes back and differs only in case from one that will be there. */
  #refuseTwins(now: Snapshot, { past, present }: Projects, touched: Map<string, Buffer | null>): void {
    const created = placesAt([...touched].flatMap(([path, bytes]) => (bytes === null || now.entry(path) ? [] : [path])))
    if (created.length === 0) return
    const { slug, language, namespace } = this.#scope
    const project = (language ?? namespace) === undefined || !present ? past : present
    const left = present ? bundlesOf(now, present).filter(place => touched.get(pathOf(place)) !== null) : []
    const languages = new Map([[project.sourceLanguage.toLowerCase(), project.sourceLanguage]])
    const namespaces = new Map<string, string>()
    const meet = (what: 'language' | 'namespace', known: Map<string, string>, name: string) => {
      const twin = known.get(name.toLowerCase())
      if (twin === undefined) known.set(name.toLowerCase(), name)
      else if (twin !== name) throw caseTwin(what, name, twin, slug)
    }
    for (const place of left) {
      languages.set(place.language.toLowerCase(), place.language)
      namespaces.set(place.namespace.toLowerCase(), place.namespace)
    }
    for (const place of created) {
      meet('language', languages, place.language)
      meet('namespace', namespaces, place.namespace)
    }
  }

  #unknownThen(what?: string): Failure {
    const { slug } = this.#scope
    const state = this.#revision === null ? 'before the first commit' : `at revision ${this.#revision.slice(0, 7)}`
    if (what === undefined) return new Failure('not-found', `There was no project "${slug}" ${state}.`)
    return new Failure('not-found', `Project "${slug}" had no ${what} ${state}: delete what is to go.`)
  }
}

const UNCHANGED: Outcome = { bytes: undefined, counts: { added: 0, updated: 0, removed: 0 }, changes: [], held: false }

const pathOf = ({ slug, language, namespace }: Place): string => bundlePath(slug, language, namespace)

/** The blob id of a bundle, null when there is none. */
function idAt(snapshot: Snapshot, place: Place): string | null {
  const entry = snapshot.entry(pathOf(place))
  return entry?.kind === 'blob' ? entry.id : null
}

/** The bundles that some paths are of; what else may lie there is left alone. */
function placesAt(paths: string[]): Place[] {
  return paths.map(placeOf).filter(place => place?.kind === 'bundle')
}
