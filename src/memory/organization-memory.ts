/** The memory of one organization: its loaded languages and entries of stale translations, and the search. */
import { FORMS, type Message } from '../bundle/message.ts'
import type { Interpolation } from '../bundle/placeholders.ts'
import { parseStale, type StaleEntries, sourceThen } from '../project/stale.ts'
import { LanguageTexts, type TextPlace } from './language-texts.ts'
import { maskText } from './mask-text.ts'

/** A folder of a project in a state: its bundles of a language, or its entries of stale translations. */
export interface MemoryFolder {
  project: string
  /** Null: the entries. */
  language: string | null
  /** Changes with any of its files; null: there is no such folder. */
  id: string | null
}

/** A search for similar source texts that have a translation. */
export interface MemoryQuery {
  source: string
  from: string
  to: string
  /** Only these projects; null: all. */
  projects: readonly string[] | null
  limit: number
}

/** A key with a similar source, and its translation. */
export interface MemoryMatch {
  /** 60 to 100; 100: equal once placeholders are masked. */
  score: number
  source: Message
  message: Message
  project: string
  namespace: string
  key: string
  /** Of a plural source: the form that resembles the searched text (`few`, `ordinal_few`). */
  form?: string
}

/** A namespace's entries of stale translations. */
interface RememberedEntries {
  id: string
  entries: StaleEntries
  bytes: number
}

/** How far beyond the last wanted match equal ones are ordered by their places. */
const MOST_EQUAL = 200

export class OrganizationMemory {
  readonly #languages = new Map<string, LanguageTexts>()
  /** By project and namespace. */
  readonly #stale = new Map<string, Map<string, RememberedEntries>>()
  /** The loaded folders by {@link nameOf}. */
  readonly #folders = new Map<string, string>()
  /** The source language of each project. */
  #sourceLanguages = new Map<string, string>()
  #staleBytes = 0
  /** Bundles that found no room, by name. */
  readonly #left = new Set<string>()

  /** An estimate. */
  get bytes(): number {
    let bytes = this.#staleBytes + 2_000
    for (const texts of this.#languages.values()) bytes += texts.bytes
    return bytes
  }

  hasLanguages(...names: string[]): boolean {
    return names.every(name => this.#languages.has(name))
  }

  /** Whether all bundles of these languages found room. @param projects only of these; null: of all */
  isComplete(languages: readonly string[], projects: readonly string[] | null): boolean {
    for (const name of this.#left) {
      const [language, project] = name.split('/')
      if (languages.includes(language!) && (projects?.includes(project!) ?? true)) return false
    }
    return true
  }

  /** Drops the languages that are not among these. */
  dropOthers(names: readonly string[]): void {
    for (const name of this.#languages.keys()) {
      if (names.includes(name)) continue
      this.#languages.delete(name)
      for (const folder of this.#folders.keys()) if (folder.startsWith(`${name}/`)) this.#folders.delete(folder)
      for (const bundle of this.#left) if (bundle.startsWith(`${name}/`)) this.#left.delete(bundle)
    }
  }

  /** Forgets projects that are missing from these. @returns the folders that differ */
  changed(sourceLanguages: ReadonlyMap<string, string>, folders: readonly MemoryFolder[]): MemoryFolder[] {
    this.#sourceLanguages = new Map(sourceLanguages)
    for (const [language, texts] of this.#languages) {
      for (const project of texts.projects()) {
        if (!sourceLanguages.has(project)) this.missing({ project, language, id: null }, new Map())
      }
    }
    for (const project of this.#stale.keys()) if (!sourceLanguages.has(project)) this.#dropStale(project)
    for (const { language } of folders) {
      if (language !== null && !this.#languages.has(language)) this.#languages.set(language, new LanguageTexts())
    }
    return folders.filter(folder => this.#folders.get(nameOf(folder)) !== (folder.id ?? undefined))
  }

  /** Removes files that a folder lost. @param files ids by namespace @returns the namespaces of files to load */
  missing(folder: MemoryFolder, files: ReadonlyMap<string, string>): string[] {
    const { project, language } = folder
    this.#folders.delete(nameOf(folder))
    const present = new Map<string, string>()
    if (language === null) {
      for (const [namespace, { id }] of this.#stale.get(project) ?? []) present.set(namespace, id)
      for (const namespace of present.keys()) if (!files.has(namespace)) this.#dropStale(project, namespace)
    } else {
      const texts = this.#languages.get(language)
      for (const { namespace, id } of texts?.bundlesOf(project) ?? []) present.set(namespace, id)
      for (const namespace of present.keys()) {
        if (files.has(namespace)) continue
        texts!.remove(project, namespace)
        this.#left.delete(`${language}/${project}/${namespace}`)
      }
    }
    return [...files].filter(([namespace, id]) => present.get(namespace) !== id).map(([namespace]) => namespace)
  }

  /** All files of a folder are loaded. */
  loaded(folder: MemoryFolder): void {
    if (folder.id === null) this.#folders.delete(nameOf(folder))
    else this.#folders.set(nameOf(folder), folder.id)
  }

  /** @param bytes null: no room */
  put(
    { project, language }: MemoryFolder,
    file: { namespace: string; id: string; interpolation: Interpolation | undefined },
    bytes: Uint8Array | null,
  ): void {
    if (language === null) {
      this.#putStale(project, file, bytes)
      return
    }
    const name = `${language}/${project}/${file.namespace}`
    if (bytes === null) this.#left.add(name)
    else this.#left.delete(name)
    this.#languages.get(language)?.put({ project, ...file }, bytes)
  }

  /** @returns the best matches, and whether all texts that may be among them were compared */
  search({ source, from, to, projects, limit }: MemoryQuery): { matches: MemoryMatch[]; comparedAll: boolean } {
    const [sources, targets] = [this.#languages.get(from)!, this.#languages.get(to)!]
    const { exact, folded } = maskText(source, sources.syntaxes(projects))
    const reached = projects && new Set(projects)
    const found: MemoryMatch[] = []
    const seen = new Map<string, MemoryMatch>()
    const messageAt = (place: TextPlace): Message | undefined => {
      const { project, namespace } = place.bundle
      if (reached && !reached.has(project)) return undefined
      const message = targets.bundle(project, namespace)?.messages.get(place.key)
      return message !== undefined && this.#isStale(place, { from, to }) ? undefined : message
    }
    const accept = (place: TextPlace, score: number) => {
      const message = messageAt(place)
      if (message === undefined) return
      const match = matchOf(place, message, score)
      const pair = JSON.stringify([match.source, match.message])
      const known = seen.get(pair)
      if (known === undefined) found.push(match)
      else if (compare(match, known) < 0) found[found.indexOf(known)] = match
      else return
      seen.set(pair, match)
    }
    const hasMessage = (id: number): boolean => {
      for (const place of sources.placesOf(id)) if (messageAt(place) !== undefined) return true
      return false
    }
    let comparedAll = true
    const onBound = () => {
      comparedAll = false
    }
    let enough: number | undefined
    for (const { id, score } of sources.index().ranked(folded, hasMessage, onBound)) {
      if (enough !== undefined && (score < enough || found.length > limit + MOST_EQUAL)) break
      for (const isEqual of [true, false]) {
        for (const place of sources.placesOf(id)) {
          if (found.length > limit + MOST_EQUAL) break
          if ((place.exact === exact) === isEqual) accept(place, isEqual ? 100 : Math.min(score, 99))
        }
      }
      // Of a text that differs in case or numbers only, the score is 99.
      if (found.length >= limit) enough ??= Math.min(score, 99)
    }
    return { matches: found.sort(compare).slice(0, limit), comparedAll }
  }

  #isStale({ bundle: { project, namespace }, key }: TextPlace, { from, to }: { from: string; to: string }): boolean {
    const entries = this.#stale.get(project)?.get(namespace)?.entries
    if (!entries) return false
    const source = this.#sourceLanguages.get(project)
    // A pair of two translations is one only while both fit the source.
    return [from, to].some(language => language !== source && sourceThen(entries, key, language) !== undefined)
  }

  #putStale(project: string, { namespace, id }: { namespace: string; id: string }, bytes: Uint8Array | null): void {
    this.#dropStale(project, namespace)
    const stale = this.#stale.get(project) ?? new Map<string, RememberedEntries>()
    const size = (bytes?.length ?? 0) * 3 + 200
    this.#staleBytes += size
    this.#stale.set(project, stale.set(namespace, { id, entries: parseStale(bytes), bytes: size }))
  }

  #dropStale(project: string, namespace?: string): void {
    const stale = this.#stale.get(project)
    for (const name of namespace === undefined ? [...(stale?.keys() ?? [])] : [namespace]) {
      this.#staleBytes -= stale?.get(name)?.bytes ?? 0
      stale?.delete(name)
    }
    if (stale?.size === 0) this.#stale.delete(project)
    if (namespace === undefined) this.#folders.delete(nameOf({ project, language: null, id: null }))
  }
}

const nameOf = ({ project, language }: MemoryFolder) => `${language ?? ''}/${project}`

const compare = (a: MemoryMatch, b: MemoryMatch): number =>
  b.score - a.score ||
  order(a.project, b.project) ||
  order(a.namespace, b.namespace) ||
  order(a.key, b.key) ||
  rank(a) - rank(b)

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const rank = ({ form }: MemoryMatch) => (form === undefined ? -1 : (FORMS as readonly string[]).indexOf(form))

function matchOf({ bundle, key, ending }: TextPlace, message: Message, score: number): MemoryMatch {
  const { project, namespace } = bundle
  const match = { score, source: bundle.messages.get(key)!, message, project, namespace, key }
  return ending === '' ? match : { ...match, form: ending.slice(1) }
}
