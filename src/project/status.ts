/** The progress of a project's translations, bundle by bundle, and the keys that need attention. */

import { bundleIn } from '../bundle/canonical.ts'
import { heldMarks, type MarkedText, markedTextsIn } from '../bundle/checks/marked-texts.ts'
import { maximaIn, NO_MAXIMA } from '../bundle/checks/maxima-in.ts'
import { problemsOf } from '../bundle/checks/problems-of.ts'
import { dismissedIn, splitDismissed } from '../bundle/checks/split-dismissed.ts'
import { countStatus, type FactsByKey, factsByKey } from '../bundle/count-status.ts'
import { Failure } from '../bundle/errors.ts'
import { type Message, messageOf } from '../bundle/message.ts'
import type { Interpolation } from '../bundle/placeholders.ts'
import type { Bundle } from '../bundle/resource.ts'
import {
  type Counts,
  factsOf,
  type KeyFilter,
  type KeyMark,
  type KeyStatus,
  lackedNames,
  type RulesOfBoth,
  stateOf,
  type TextRules,
} from '../bundle/status.ts'
import { namespacesOf } from './layout.ts'
import { languagePath, type Project } from './project.ts'
import { sidecarFolder } from './sidecars/sidecars.ts'
import { suggestedIn } from './sidecars/suggestions-file.ts'
import { parseStale, sourceThen, staleFolder } from './stale.ts'
import type { State } from './state.ts'
import { rulesOfBoth } from './text-rules.ts'

/** Which part of a project a status is of; all by default. */
export interface StatusPart {
  language: string | undefined
  namespace: string | undefined
}

/** A bundle beside that of the source language, each by its blob id; null where there is none. */
export interface BundlePlan {
  language: string
  namespace: string
  source: string | null
  target: string | null
  notes: string | null
  /** The notes for translators, which have the maxima of lengths. */
  maxima: string | null
  /** The marks of the target, which have dismissed problems. */
  marks: string | null
  /** The suggestions for the target. */
  suggestions: string | null
}

/** What all languages of a project have in common: the ids of the source's bundles and of the notes. */
export interface SourceFiles {
  bundles: ReadonlyMap<string, string>
  notes: ReadonlyMap<string, string>
  maxima: ReadonlyMap<string, string>
  /** Languages with marks, and with suggestions. */
  marked: ReadonlySet<string>
  suggested: ReadonlySet<string>
}

export const sourceFiles = (state: State, { slug, sourceLanguage }: Project): SourceFiles => ({
  bundles: filesIn(state, languagePath(slug, sourceLanguage)),
  notes: filesIn(state, staleFolder(slug)),
  maxima: filesIn(state, sidecarFolder(slug, 'notes')),
  marked: languagesWith(state, sidecarFolder(slug, 'marks')),
  suggested: languagesWith(state, sidecarFolder(slug, 'suggestions')),
})

const languagesWith = (state: State, folder: string) => new Set(state.list(folder).map(({ name }) => name))

/**
 * The bundles that count in a language, by namespace: those of the source language and its own.
 * @param files of the same state
 */
export function bundlePlans(
  state: State,
  project: Project,
  language: string,
  namespace?: string,
  files = sourceFiles(state, project),
): BundlePlan[] {
  const { slug, sourceLanguage } = project
  const names = new Set([sourceLanguage, language].flatMap(name => namespacesOf(state, slug, name)))
  const wanted = namespace === undefined ? [...names].sort() : names.has(namespace) ? [namespace] : []
  // Lists are faster than look-ups for each bundle.
  const isSource = language === sourceLanguage
  const target = isSource ? files.bundles : filesIn(state, languagePath(slug, language))
  const isMarked = !isSource && files.marked.has(language)
  const marked = isMarked ? filesIn(state, sidecarFolder(slug, 'marks', language)) : NO_FILES
  const hasSuggestions = files.suggested.has(language)
  const suggested = hasSuggestions ? filesIn(state, sidecarFolder(slug, 'suggestions', language)) : NO_FILES
  return wanted.map(namespace => {
    const all = [files.bundles, target, files.notes, files.maxima, marked, suggested]
    const ids = all.map(ids => ids.get(`${namespace}.json`) ?? null)
    const [from, to, noted, context, marks, suggestions] = ids as [Id, Id, Id, Id, Id, Id]
    const maxima = isSource || project.checks?.length === 'off' ? null : context
    return { language, namespace, source: from, target: to, notes: isSource ? null : noted, maxima, marks, suggestions }
  })
}

type Id = string | null
const NO_FILES: ReadonlyMap<string, string> = new Map()

/** The ids of a folder's files by their names. */
function filesIn(state: State, folder: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const { name, kind, id } of state.list(folder)) if (kind === 'blob') files.set(name, id)
  return files
}

/** The facts of a file's messages. An external commit may contain a file that is no resource: it counts as empty. */
export const factsIn = (bytes: Uint8Array | null, interpolation: Interpolation | undefined): FactsByKey =>
  factsByKey(bundleIn(bytes), interpolation)

/** A translation to count. */
interface CountTask {
  /** The files, null where there is none. */
  source: Uint8Array | null
  target: Uint8Array | null
  /** Keys with a note that their source changed. */
  noted: readonly string[]
  /** Of lengths, as pairs. */
  maxima: readonly [key: string, max: number][]
  marks: Uint8Array | null
  suggestions: Uint8Array | null
  sourceLanguage: string
  language: string
  rules: TextRules
}

export function countBundle({
  source,
  target,
  noted,
  maxima,
  marks,
  suggestions,
  sourceLanguage,
  language,
  rules: own,
}: CountTask): Counts {
  const { interpolation } = own
  const rules = rulesOfBoth(sourceLanguage, language, own)
  const [due, has] = [factsIn(source, interpolation), factsIn(target, interpolation)]
  const [dismissed, marked] = [dismissedIn(marks), markedTextsIn(marks)]
  return countStatus(due, has, noted, rules, new Map(maxima), dismissed, marked, suggestedIn(suggestions))
}

/** The maxima of lengths in a file of notes, as pairs. */
export const listMaxima = ({ bytes }: { bytes: Uint8Array }): [key: string, max: number][] => [...maximaIn(bytes)]

/** The stale keys of each of some languages, by a file of notes. */
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
  /** The file with the maxima of lengths. */
  maxima?: Uint8Array | null
  marks?: Uint8Array | null
  /** The suggestions, which only a list by them needs. */
  suggestions?: Uint8Array | null
  sourceLanguage: string
  /** Of the project, where it has its own. */
  rules?: TextRules
  language: string
  /** Keys that are any of these. */
  is: readonly KeyFilter[]
  /** Only keys after this one. */
  behind: string | null
  /** Only this key. */
  only?: string
  /** At most this many, or bytes of messages beside the last one's. */
  most: number
  bytes: number
}

/** A row of a key's status; `sourceThen` is the source message that a stale translation was written for. */
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
  const { behind, only, most, language, sourceLanguage } = task
  const [source, target] = [bundleIn(task.source), bundleIn(task.target)]
  const notes = parseStale(language === sourceLanguage ? null : task.notes)
  const rules = rulesOfBoth(sourceLanguage, language, task.rules)
  const maxima = language === sourceLanguage ? NO_MAXIMA : maximaIn(task.maxima ?? null)
  const isSource = language === sourceLanguage
  const dismissed = dismissedIn(isSource ? null : task.marks)
  const marked = markedTextsIn(isSource ? null : task.marks)
  const suggested = suggestedIn(task.suggestions)
  const found: StatusKeys = { keys: [], more: false, bytes: 0 }
  for (const key of keysOfBoth(source, target)) {
    if ((behind !== null && key <= behind) || (only !== undefined && key !== only)) continue
    const facts = {
      ...{ sourceThen: sourceThen(notes, key, language), max: maxima.get(key), dismissed: dismissed.get(key) },
      marked: marked.get(key),
    }
    const row = statusRow(key, [source, target], rules, facts)
    const filters = filtersOf(row, { isSource, isSuggested: suggested.has(key) })
    if (!filters.some(filter => task.is.includes(filter))) continue
    if (found.keys.length === most || found.bytes > task.bytes) return { ...found, more: true }
    found.keys.push(row)
    found.bytes += 2 * JSON.stringify(row).length
  }
  return found
}

/** What a row is listed by. */
function filtersOf(
  { is, dismissed, approved, machine, message }: StatusRow,
  { isSource, isSuggested }: { isSource: boolean; isSuggested: boolean },
): KeyFilter[] {
  const isReviewed = !isSource && message !== null && !is.includes('empty')
  return [
    ...is,
    ...(dismissed ? (['dismissed'] as const) : []),
    ...(machine ? (['machine'] as const) : []),
    ...(isSuggested ? (['suggested'] as const) : []),
    ...(isReviewed ? [approved ? ('approved' as const) : ('unapproved' as const)] : []),
  ]
}

function keysOfBoth(source: Bundle, target: Bundle): string[] {
  const keys = [source, target].flatMap(({ tree }) => tree.entries().map(({ key }) => key))
  return [...new Set(keys)].sort()
}

/** What the files beside the bundles say about a key. */
interface KeyFacts {
  sourceThen: Message | undefined
  max: number | undefined
  dismissed: ReadonlyMap<string, string> | undefined
  marked: MarkedText | undefined
}

function statusRow(
  key: string,
  [source, target]: [Bundle, Bundle],
  rules: RulesOfBoth,
  { sourceThen: then, max, dismissed, marked }: KeyFacts,
): StatusRow {
  const [from, to] = [source.tree.get(key), target.tree.get(key)]
  const [message, original] = [to ? messageOf(to) : null, from ? messageOf(from) : null]
  if (!from) {
    const held = heldMarks(marked, undefined, factsOf(to!, rules.interpolation))
    return { key, is: ['extra'], source: original, message, ...held }
  }
  if (!to) return { key, is: ['missing'], source: original, message }
  const [due, there] = [factsOf(from, rules.interpolation), factsOf(to, rules.interpolation)]
  const state = stateOf(due.flags, there.flags, rules)
  const forms = lackedNames(due.flags, there.flags, rules)
  const isFilled = state !== 'empty'
  const found = isFilled ? problemsOf(due, there, rules, max) : []
  const { open: problems, dismissed: gone } = splitDismissed(found, dismissed, due, there)
  const isStale = isFilled && then !== undefined
  const is: KeyMark[] = [state]
  if (isStale) is.push('stale')
  if (problems.length > 0) is.push('problems')
  return {
    ...{ key, is, source: original, message },
    ...(isStale && { sourceThen: then }),
    ...(forms.length > 0 && { forms }),
    ...(problems.length > 0 && { problems }),
    ...(gone.length > 0 && { dismissed: gone }),
    ...(isFilled && heldMarks(marked, due, there)),
  }
}

/** Maximum of bundles in one status: their rows have some 15 MB. */
export const MOST_BUNDLES = 100_000

/** The failure for a status of too many bundles. */
export function tooManyBundles(slug: string): Failure {
  return new Failure(
    'unfit',
    `The status of "${slug}" is of more than ${MOST_BUNDLES.toLocaleString('en')} bundles: ask for one language or namespace at a time.`,
  )
}
