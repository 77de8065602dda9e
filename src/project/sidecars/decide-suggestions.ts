/** Accepts or rejects suggestions of a bundle, by bytes alone, for the worker. */
import { isObject } from '../../bundle/body.ts'
import { blobId, bundleIn, parseBundle, renderBundle } from '../../bundle/canonical.ts'
import { type KeyChange, sameMessage } from '../../bundle/diff.ts'
import type { EntryAuthor } from '../../bundle/entry-author.ts'
import { Failure } from '../../bundle/errors.ts'
import type { FileChange } from '../../bundle/file-change.ts'
import { mostBytes } from '../../bundle/file-size.ts'
import { withApproval } from '../../bundle/mark.ts'
import type { Message } from '../../bundle/message.ts'
import { type Format, shortKey } from '../../bundle/names.ts'
import { Bundle, isFlat } from '../../bundle/resource.ts'
import { setMessages } from '../../bundle/set-messages.ts'
import { SourcePlaces } from '../../bundle/source-places.ts'
import { checkMessage, hasLostKey, isBlank, isBy, type Suggestion } from '../../bundle/suggestion.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { renderWithin } from './key-file.ts'
import { marksIn, presentMarks } from './marks-file.ts'
import { setSuggestions, suggestionsIn } from './suggestions-file.ts'

/** Which suggestions of a bundle a reviewer decides on, and how. */
export interface DecideSuggestionsTask {
  /** Of the files of suggestions and marks. */
  paths: { suggestions: string; marks: string }
  /** The files, null where there is none. */
  suggestions: Uint8Array | null
  marks: Uint8Array | null
  source: Uint8Array | null
  target: Uint8Array | null
  format: Format
  isSource: boolean
  /** Null rejects. */
  accept: AcceptedBy | null
  /** Their ids; null for all of `by`. */
  ids: readonly string[] | null
  /** Of this user or token by id, or machine by name; null for any. */
  by: string | null
  /** The file of suggestions before and after a commit that brought them; null for any commit. */
  commit: { before: Uint8Array | null; after: Uint8Array | null } | null
}

/** How suggestions are accepted. */
interface AcceptedBy {
  by: EntryAuthor
  /** As marks have it. */
  at: string
  /** Also where the source has changed since. */
  anyway: boolean
  /** Whether one's own, and own edits, are not accepted. */
  fourEyes: boolean
  /** Other texts in place of suggested ones, by id. */
  values: Record<string, unknown>
}

/** A suggestion that is not accepted: the source changed, the key has gone, or it is the reviewer's own. */
export interface SuggestionConflict {
  id: string
  key: string
  why: 'source-changed' | 'gone' | 'own'
}

/** The new files, null for none. */
export interface DecidedSuggestions {
  /** The keys of accepted or rejected suggestions, one for each. */
  keys: string[]
  conflicts: SuggestionConflict[]
  /** The ids that were found. */
  found: string[]
  /** The ids of the authors of decided suggestions; machines have none. */
  authors: string[]
  suggestions: Uint8Array | null
  marks: Uint8Array | null
  file: FileChange
  added: number
  updated: number
  /** The changed texts as JSON (`KeyChange[]`). */
  changes: Uint8Array
}

/** @throws Failure `unfit` for a text that does not fit its key, `too-large` naming the file */
export function decideSuggestions(task: DecideSuggestionsTask): DecidedSuggestions {
  const { accept, format } = task
  const source = bundleIn(task.source)
  const target = task.target === null ? Bundle.empty(format) : parseBundle(task.target, format)
  const all = suggestionsIn(task.suggestions)
  const brought = task.commit && broughtBy(task.commit)
  const decided: DecidedSuggestions = {
    ...{ keys: [], conflicts: [], found: [], authors: [], added: 0, updated: 0, file: { kind: 'unchanged' } },
    ...{ suggestions: task.suggestions, marks: task.marks, changes: Buffer.from('[]') },
  }
  const messages = new Map<string, Message>()
  for (const [key, list] of [...all]) {
    const chosen = list.filter(one => isChosen(one, task) && (brought?.has(one.id) ?? true))
    decided.found.push(...chosen.map(({ id }) => id))
    const texts = { source: source.message(key) ?? null, present: target.message(key) ?? null, isSource: task.isSource }
    const done = chosen.filter(suggestion => {
      const why = accept === null ? undefined : conflictOf(suggestion, texts, accept)
      if (why !== undefined) decided.conflicts.push({ id: suggestion.id, key, why })
      return why === undefined
    })
    if (done.length === 0) continue
    // Of several for a key, the newest one becomes its text.
    if (accept) messages.set(key, textOf(key, done.at(-1)!, accept.values))
    decided.keys.push(...done.map(() => key))
    decided.authors.push(...done.flatMap(({ by }) => (typeof by === 'string' ? [] : [by.id])))
    setSuggestions(
      all,
      key,
      list.filter(one => !done.includes(one)),
    )
  }
  if (decided.keys.length === 0) return decided
  const rendered = renderWithin(task.paths.suggestions, all, [task.suggestions])
  return { ...decided, suggestions: rendered, ...(accept && written(task, accept, { source, target, messages })) }
}

function isChosen(suggestion: Suggestion, { ids, by }: DecideSuggestionsTask): boolean {
  if (by !== null && !isBy(suggestion, by) && suggestion.by !== by) return false
  return ids === null || ids.includes(suggestion.id)
}

/** The ids of the suggestions that a commit brought. */
function broughtBy({ before, after }: NonNullable<DecideSuggestionsTask['commit']>): Set<string> {
  const [were, are] = [before, after].map(file => [...suggestionsIn(file).values()].flat().map(({ id }) => id))
  const known = new Set(were)
  return new Set(are!.filter(id => !known.has(id)))
}

function conflictOf(
  suggestion: Suggestion,
  { source, present, isSource }: { source: Message | null; present: Message | null; isSource: boolean },
  { by, anyway, fourEyes, values }: AcceptedBy,
): SuggestionConflict['why'] | undefined {
  if (fourEyes && (isBy(suggestion, by.id) || Object.hasOwn(values, suggestion.id))) return 'own'
  if (hasLostKey(suggestion, source, present)) return 'gone'
  if (anyway) return undefined
  if (source === null && present === null) return 'gone'
  return suggestion.of === textDigest(isSource ? null : source, suggestion.message) ? undefined : 'source-changed'
}

/** The accepted text: the suggested one, or another in its place. */
function textOf(key: string, { id, message }: Suggestion, values: Record<string, unknown>): Message {
  const value = Object.hasOwn(values, id) ? values[id] : message
  const isMessage = !isObject(value) || ['text', 'cardinal', 'ordinal'].some(member => member in value)
  // Forms alone are of the kind that was suggested.
  const kind = typeof message === 'object' && !message.cardinal && message.ordinal ? 'ordinal' : 'cardinal'
  const text = checkMessage(key, isMessage ? value : { [kind]: value })
  // With a review, a text that was emptied waits as such.
  if (!isBlank(text) || isBlank(message)) return text
  throw new Failure('unfit', `The key ${JSON.stringify(shortKey(key))} needs a text: reject the suggestion instead.`)
}

/** The bundle and the marks with accepted texts. */
function written(
  { paths, format, isSource, ...files }: DecideSuggestionsTask,
  { by, at }: AcceptedBy,
  { source, target, messages }: { source: Bundle; target: Bundle; messages: ReadonlyMap<string, Message> },
): Pick<DecidedSuggestions, 'file' | 'marks' | 'added' | 'updated' | 'changes'> {
  const changes: KeyChange[] = []
  const inOrder = new Map<string, Message>()
  for (const key of [...source.tree.entries().map(({ key }) => key), ...messages.keys()]) {
    const message = messages.get(key)
    const before = target.message(key) ?? null
    if (message === undefined || inOrder.has(key) || sameMessage(before, message)) continue
    inOrder.set(key, message)
    changes.push({ key, before, after: message })
  }
  const places = isSource || isFlat(format) ? undefined : new SourcePlaces(source.tree)
  const bundle = changes.length === 0 ? target : setMessages(target, inOrder, { source: places })
  const bytes = changes.length === 0 ? null : renderBundle(bundle, mostBytes(files.target))
  const marks = presentMarks(marksIn(files.marks), isSource ? null : source, bundle)
  for (const [key, message] of messages) {
    if (isBlank(message)) continue
    const of = textDigest(isSource ? null : (source.message(key) ?? null), message)
    marks.set(key, withApproval(marks.get(key), { at, by, of }))
  }
  return {
    file: bytes === null ? { kind: 'unchanged' } : { kind: 'written', id: blobId(bytes), bytes },
    marks: renderWithin(paths.marks, marks, [files.marks]),
    added: changes.filter(({ before }) => before === null).length,
    updated: changes.filter(({ before }) => before !== null).length,
    changes: Buffer.from(JSON.stringify(changes)),
  }
}
