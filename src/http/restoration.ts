/** What restoring a part of a project comes to: which files it puts and removes, and which keys that changes. */
import { type RestoreOutcome, type RestoreTask, restoreFile } from '../bundle/comparison.ts'
import type { ChangeCounts, KeyChange } from '../bundle/diff.ts'
import { Failure } from '../bundle/errors.ts'
import { sameIgnoringCase } from '../bundle/names.ts'
import { bundlePath, localesPath, type Project, placeOf, projectPath, renderProject } from '../bundle/project.ts'
import { changedFiles } from '../store/changed-files.ts'
import type { Snapshot } from '../store/store.ts'
import { stateAt } from './at.ts'
import { bundlesOf, caseTwin, findProject, languagesOf, type Place, requireProject } from './layout.ts'
import { short } from './writes.ts'

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

/** What is to be computed for one bundle; `id` names it and its content. */
export interface Share {
  id: string
  task: RestoreTask
}

/** Of both versions together: up to here others wait some 25 ms for what becomes of it. */
const LARGE = 256 * 1024

/**
 * One restore. Reading and comparing bundles takes time, in which the organization's other writes should not have to wait:
 * what comes of each is kept by content, so that it can be found out ahead of the write, and what has changed meanwhile is
 * looked at again.
 */
export class Restoration {
  readonly #scope: Scope
  readonly #revision: string | null
  readonly #tells: boolean
  readonly #outcomes = new Map<string, RestoreOutcome>()
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
   * @returns whether that was all; or what is large, to be computed elsewhere and told to {@link learn}
   * @throws Failure as {@link plan} does
   */
  prepare(now: Snapshot, until: number): boolean | Share {
    const projects = this.#projects(now)
    this.#ahead ??= this.#candidates(now, projects).reverse()
    for (let next = this.#ahead.pop(); next; next = this.#ahead.pop()) {
      const share = this.#share(now, projects, next)
      if (share && isLarge(share)) return share
      if (share) this.learn(share.id, restoreFile(share.task))
      if (performance.now() >= until) return false
    }
    this.#ahead = undefined
    return true
  }

  /** Notes what was computed of a {@link Share}. */
  learn(id: string, outcome: RestoreOutcome): void {
    this.#outcomes.set(id, outcome)
    this.#held ||= outcome.held
  }

  /** Whether {@link plan} would have to compute what is large. @throws Failure as it does */
  isOvertaken(now: Snapshot): boolean {
    const projects = this.#projects(now)
    return this.#candidates(now, projects).some(place => {
      const share = this.#share(now, projects, place)
      return share !== undefined && isLarge(share)
    })
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

  #outcome(now: Snapshot, projects: Projects, place: Candidate): RestoreOutcome {
    const share = this.#share(now, projects, place)
    if (share) this.learn(share.id, restoreFile(share.task))
    return this.#outcomes.get(this.#idOf(now, projects, place)) ?? UNCHANGED
  }

  #idOf(now: Snapshot, { present }: Projects, place: Candidate): string {
    return `${pathOf(place)} ${idAt(now, place)} ${present?.defaultFormat}`
  }

  /** What has to be found out of a bundle; undefined when that is known, or does not matter. */
  #share(now: Snapshot, projects: Projects, place: Candidate): Share | undefined {
    // Where nothing changes there is only to find out whether the key was there, until that is known.
    if (place.same && this.#held) return undefined
    const id = this.#idOf(now, projects, place)
    if (this.#outcomes.has(id)) return undefined
    const { then, past, present } = projects
    const { key, language, namespace } = this.#scope
    const path = pathOf(place)
    const format = (present ?? past).defaultFormat
    const target = (language ?? namespace) === undefined ? past.defaultFormat : format
    const read = (state: Snapshot) => (state.entry(path)?.kind === 'blob' ? state.read(path)! : null)
    return {
      id,
      task: {
        path,
        present: read(now),
        past: read(then),
        formats: { present: format, past: past.defaultFormat, target },
        key: key ?? null,
        // Without what nobody will ask for: all of it together may be large.
        most: this.#tells ? MOST_TOLD.rows : 0,
      },
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

const UNCHANGED: RestoreOutcome = {
  bytes: undefined,
  counts: { added: 0, updated: 0, removed: 0 },
  changes: [],
  held: false,
}

const isLarge = ({ task }: Share) => (task.present?.length ?? 0) + (task.past?.length ?? 0) > LARGE

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
