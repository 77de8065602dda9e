/** Finds out whether a change concerns the suggestions of others, by bytes alone, for the worker. */
import { bundleIn } from '../../bundle/canonical.ts'
import { isBy, type Suggestion } from '../../bundle/suggestion.ts'
import { suggestionsIn } from './suggestions-file.ts'

/** A file of suggestions in a change, and the texts that it belongs to. Null for a missing file. */
export interface ChangesSuggestionsTask {
  before: Uint8Array | null
  after: Uint8Array | null
  texts: Record<'before' | 'after', Record<'source' | 'target', Uint8Array | null>>
  /** The id of the author of the change. */
  by: string
}

/** Suggestions may move with their keys, and go and return with them. */
export function changesSuggestions({ before, after, texts, by }: ChangesSuggestionsTask): boolean {
  const [was, is] = [itemsIn(before), itemsIn(after)]
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter(id => was.get(id)?.json !== is.get(id)?.json)
  const others = changed.filter(id => !isBy((was.get(id) ?? is.get(id))!.suggestion, by))
  if (others.length === 0) return false
  const bundles = [texts.before, texts.after].map(({ source, target }) => [bundleIn(source), bundleIn(target)])
  const existsIn = (key: string) => bundles.map(both => both.map(bundle => bundle.message(key) !== undefined).join())
  return others.some(id => {
    const [then, now] = existsIn((was.get(id) ?? is.get(id))!.key)
    return then === now
  })
}

function itemsIn(bytes: Uint8Array | null): Map<string, { key: string; suggestion: Suggestion; json: string }> {
  const items = [...suggestionsIn(bytes)].flatMap(([key, list]) => list.map(suggestion => ({ key, suggestion })))
  return new Map(items.map(item => [item.suggestion.id, { ...item, json: JSON.stringify(item.suggestion) }]))
}
