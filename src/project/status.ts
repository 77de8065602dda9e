/** How far a project's translations are, bundle by bundle, and the keys that there is something to tell of. */
import { Failure } from '../bundle/errors.ts'
import { type Message, messageOf } from '../bundle/message.ts'
import type { Interpolation } from '../bundle/placeholders.ts'
import type { Bundle } from '../bundle/resource.ts'
import {
  factsOf,
  type KeyMark,
  type KeyStatus,
  lackedNames,
  problemsOf,
  type RulesOfBoth,
  rulesOf,
  stateOf,
} from '../bundle/status.ts'
import { type PackedFacts, packFacts } from '../bundle/status-facts.ts'
import { languagesOf, namespacesOf } from './layout.ts'
import { languagePath, localesPath, type Project } from './project.ts'
import { parseStale, sourceThen, staleFolder } from './stale.ts'
import type { State } from './state.ts'
import { bundleIn } from './versions.ts'

/** Which part of a project a status is of; all by default. */
export interface StatusPart {
  language: string | undefined
  namespace: string | undefined
}

/** A language's bundles beside those of the source language. */
export interface LanguagePlan {
  language: string
  /** What its numbers depend on: git's ids of folders. */
  id: string
  /** That of its own folder. */
  folder: string
}

/** A bundle beside that of the source language, each by its blob id; null where there is none. */
export interface BundlePlan {
  language: string
  namespace: string
  source: string | null
  target: string | null
  notes: string | null
}

/** The languages of a status in code-unit order. */
export function languagePlans(state: State, project: Project, { language, namespace }: StatusPart): LanguagePlan[] {
  const { slug, sourceLanguage } = project
  const folders = new Map(state.list(localesPath(slug)).map(({ name, id }) => [name, id]))
  const stale = state.entry(staleFolder(slug))?.id ?? ''
  const shared = `${folders.get(sourceLanguage) ?? ''} ${stale} ${sourceLanguage}`
  const languages = language === undefined ? languagesOf(state, project) : [language]
  return languages.map(language => {
    const folder = folders.get(language) ?? ''
    return { language, folder, id: `${shared} ${folder} ${language} ${namespace ?? ''}` }
  })
}

/** The bundles that count in each language: those of the source language and its own. */
export class BundlePlans {
  readonly #project: Project
  readonly #namespaces: string[]
  readonly #source: Files
  readonly #notes: Files

  constructor(state: State, project: Project) {
    const { slug, sourceLanguage } = project
    this.#project = project
    this.#namespaces = namespacesOf(state, slug, sourceLanguage)
    this.#source = filesIn(state, languagePath(slug, sourceLanguage))
    this.#notes = filesIn(state, staleFolder(slug))
  }

  /** Those of a language by namespace. @param state the same one, in whatever turn */
  of(state: State, language: string, namespace?: string): BundlePlan[] {
    const { slug, sourceLanguage } = this.#project
    const isSource = language === sourceLanguage
    const target = isSource ? this.#source : filesIn(state, languagePath(slug, language))
    const more = namespacesOf(state, slug, language).filter(name => !this.#source.has(fileOf(name)))
    const all = more.length === 0 ? this.#namespaces : [...this.#namespaces, ...more].sort()
    const names = namespace === undefined ? all : all.filter(name => name === namespace)
    return names.map(namespace => {
      const file = fileOf(namespace)
      const [from, to] = [this.#source.get(file) ?? null, target.get(file) ?? null]
      return { language, namespace, source: from, target: to, notes: isSource ? null : (this.#notes.get(file) ?? null) }
    })
  }

  /**
   * All of a language whose own folder is as it was, from those of then, which stay the same objects where nothing
   * changed; undefined where namespaces came or went.
   */
  after(then: BundlePlan[]): BundlePlan[] | undefined {
    let shared = 0
    const plans: BundlePlan[] = []
    for (const plan of then) {
      const file = fileOf(plan.namespace)
      const [source, notes] = [this.#source.get(file) ?? null, this.#notes.get(file) ?? null]
      if (plan.language === this.#project.sourceLanguage || (source ?? plan.target) === null) return undefined
      if (source !== null) shared++
      plans.push(source === plan.source && notes === plan.notes ? plan : { ...plan, source, notes })
    }
    return shared === this.#namespaces.length ? plans : undefined
  }
}

/** Blob ids by the names of files. */
type Files = ReadonlyMap<string, string>

function filesIn(state: State, folder: string): Files {
  const files = new Map<string, string>()
  for (const { name, kind, id } of state.list(folder)) if (kind === 'blob') files.set(name, id)
  return files
}

const fileOf = (namespace: string) => `${namespace}.json`

/** What counting needs of a file; of one that is no resource, which a person may have committed, as of an empty one. */
export const packFile = ({ bytes, interpolation }: FactsTask): PackedFacts => packFacts(bundleIn(bytes), interpolation)

/** A file, and the interpolation of its project where it has its own. */
interface FactsTask {
  bytes: Uint8Array
  interpolation?: Interpolation | undefined
}

/** The keys that a file of notes tells as stale in each of some languages. */
export function staleKeys({ bytes, languages }: { bytes: Uint8Array; languages: string[] }): string[][] {
  const notes = parseStale(bytes)
  return languages.map(language => [...notes.keys()].filter(key => sourceThen(notes, key, language) !== undefined))
}

/** The keys of a bundle that are wanted. */
export interface StatusKeysTask {
  /** The files, null where there is none. */
  source: Uint8Array | null
  target: Uint8Array | null
  notes: Uint8Array | null
  sourceLanguage: string
  /** Of the project, where it has its own. */
  interpolation?: Interpolation | undefined
  language: string
  /** Keys that are any of these. */
  is: readonly KeyMark[]
  /** Only keys after this one. */
  behind: string | null
  /** At most this many, or bytes of messages beside the last one's. */
  most: number
  bytes: number
}

/** A row of a key's status; `sourceThen` is the source message that a stale translation was made of. */
export interface StatusRow extends KeyStatus {
  sourceThen?: Message
}

/** The wanted keys in code-unit order, whether there are more, and their bytes. */
export interface StatusKeys {
  keys: StatusRow[]
  more: boolean
  bytes: number
}

/** See {@link StatusKeysTask}. */
export function listStatus(task: StatusKeysTask): StatusKeys {
  const { behind, most, language, sourceLanguage } = task
  const [source, target] = [bundleIn(task.source), bundleIn(task.target)]
  const notes = parseStale(language === sourceLanguage ? null : task.notes)
  const rules = rulesOf(sourceLanguage, language, task.interpolation)
  const found: StatusKeys = { keys: [], more: false, bytes: 0 }
  for (const key of keysOfBoth(source, target)) {
    if (behind !== null && key <= behind) continue
    const row = statusRow(key, source, target, sourceThen(notes, key, language), rules)
    if (!row.is.some(told => task.is.includes(told))) continue
    if (found.keys.length === most || found.bytes > task.bytes) return { ...found, more: true }
    found.keys.push(row)
    found.bytes += 2 * JSON.stringify(row).length
  }
  return found
}

function keysOfBoth(source: Bundle, target: Bundle): string[] {
  const keys = [source, target].flatMap(({ tree }) => tree.entries().map(({ key }) => key))
  return [...new Set(keys)].sort()
}

function statusRow(
  key: string,
  source: Bundle,
  target: Bundle,
  then: Message | undefined,
  rules: RulesOfBoth,
): StatusRow {
  const [from, to] = [source.tree.get(key), target.tree.get(key)]
  const [message, original] = [to ? messageOf(to) : null, from ? messageOf(from) : null]
  if (!from) return { key, is: ['extra'], source: original, message }
  if (!to) return { key, is: ['missing'], source: original, message }
  const [due, there] = [factsOf(from, rules.interpolation), factsOf(to, rules.interpolation)]
  const state = stateOf(due.flags, there.flags, rules)
  const forms = lackedNames(due.flags, there.flags, rules)
  const isFilled = state !== 'empty'
  const problems = isFilled ? problemsOf(due, there, rules) : []
  const isStale = isFilled && then !== undefined
  const is: KeyMark[] = [state]
  if (isStale) is.push('stale')
  if (problems.length > 0) is.push('problems')
  return {
    ...{ key, is, source: original, message },
    ...(isStale && { sourceThen: then }),
    ...(forms.length > 0 && { forms }),
    ...(problems.length > 0 && { problems }),
  }
}

/** Most bundles of one status: so many rows come to some 15 MB. */
export const MOST_BUNDLES = 100_000

/** The failure for a status of too many bundles. */
export function tooManyBundles(slug: string): Failure {
  return new Failure(
    'unfit',
    `The status of "${slug}" is of more than ${MOST_BUNDLES.toLocaleString('en')} bundles: ask for one language or namespace at a time.`,
  )
}
