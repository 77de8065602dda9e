/** Suggests a text for a key, by bytes alone, for the worker. */
import { isObject } from '../../bundle/body.ts'
import { bundleIn, parseBundle } from '../../bundle/canonical.ts'
import { unfit } from '../../bundle/complaints.ts'
import { sameMessage } from '../../bundle/diff.ts'
import { type Put, putKey } from '../../bundle/edit-key.ts'
import { KINDS, peel } from '../../bundle/message.ts'
import type { Format } from '../../bundle/names.ts'
import { Bundle, isFlat } from '../../bundle/resource.ts'
import { SourcePlaces } from '../../bundle/source-places.ts'
import {
  checkMessage,
  equalSuggestion,
  isBlank,
  type Suggestion,
  withEarlierForms,
  withSuggestion,
} from '../../bundle/suggestion.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { renderWithin } from './key-file.ts'
import { setSuggestions, suggestionsIn } from './suggestions-file.ts'

/** A text for a key, or for a form by its name, as a write of it has it. */
export interface SuggestTextTask {
  /** Of the file of suggestions. */
  path: string
  /** The files, null where there is none. */
  suggestions: Uint8Array | null
  source: Uint8Array | null
  target: Uint8Array | null
  format: Format
  /** Whether the translation is of the source language: its texts have no source. */
  isSource: boolean
  name: string
  value: unknown
  suggestion: Pick<Suggestion, 'id' | 'by' | 'at'>
}

/**
 * - `no-key`: neither the source nor the translation has the key
 * - `no-text`: the suggestion has no text
 * - `present`: the text is that already
 */
export type SuggestTextOutcome =
  | { is: 'no-key'; key: string }
  | { is: 'no-text'; key: string }
  | { is: 'present'; key: string }
  | { is: 'unchanged'; key: string; suggestion: Suggestion }
  | { is: 'changed'; key: string; suggestion: Suggestion; file: Uint8Array }

/** Whether a value is a message with its parts by name, and not the forms of a plural. */
const isWholeMessage = (value: unknown): value is object =>
  isObject(value) && ['text', ...KINDS].some(part => Object.hasOwn(value, part))

/** A text with a plural, or plurals of both kinds, under one key. @throws Failure `unfit` */
function wholeMessage(target: Bundle, name: string, value: object): Pick<Put, 'key' | 'message' | 'before'> {
  if (peel(name).kind !== 'text') throw unfit('A whole message belongs to the base key of its forms', [name])
  return { key: name, message: checkMessage(name, value), before: target.message(name) ?? null }
}

/** @throws Failure `unfit` as a write of the text, or for too many suggestions; `too-large` naming the file */
export function suggestText({ suggestion: begun, ...task }: SuggestTextTask): SuggestTextOutcome {
  const { name, value, format } = task
  const target = task.target === null ? Bundle.empty(format) : parseBundle(task.target, format)
  const source = bundleIn(task.source)
  const places = task.isSource || isFlat(format) ? undefined : new SourcePlaces(source.tree)
  const { key, message, before } = isWholeMessage(value)
    ? wholeMessage(target, name, value)
    : putKey(target, name, value, places)
  const original = source.message(key) ?? null
  if (before === null && original === null) return { is: 'no-key', key }
  if (isBlank(message)) return { is: 'no-text', key }
  if (sameMessage(before, message)) return { is: 'present', key }
  const all = suggestionsIn(task.suggestions)
  const list = all.get(key) ?? []
  const of = task.isSource ? null : original
  const asked: Suggestion = { ...begun, message, of: textDigest(of, message) }
  const isForm = peel(name).kind !== 'text'
  const suggestion = isForm ? withEarlierForms(list, asked, { before, source: of }) : asked
  const now = withSuggestion(list, suggestion, key)
  if (now === list) return { is: 'unchanged', key, suggestion: equalSuggestion(list, suggestion)! }
  setSuggestions(all, key, now)
  return { is: 'changed', key, suggestion, file: renderWithin(task.path, all, [task.suggestions])! }
}
