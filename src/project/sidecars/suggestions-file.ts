/** The file with the suggestions for a bundle's texts: `<slug>/suggestions/<language>/<namespace>.json`. */
import { createHash } from 'node:crypto'
import type { KeyEntries } from '../../bundle/key-entries.ts'
import { checkSuggestions, hasRoom, type Suggestion, withSuggestion } from '../../bundle/suggestion.ts'
import { orNone, parseLists, validEntries } from './key-file.ts'

const checkList = orNone(checkSuggestions)

/** Reads a file by the rules of a write. @throws Failure `invalid` or `unfit` naming the culprit */
export const parseSuggestions = (bytes: Uint8Array): KeyEntries<Suggestion[]> =>
  parseLists(bytes, 'suggestions', checkList)

/** The suggestions at HEAD: a list that breaks the rules is left out. */
export const suggestionsIn = (bytes: Uint8Array | null | undefined): KeyEntries<Suggestion[]> =>
  validEntries(bytes, checkList)

/** The keys with a suggestion that waits. */
export const suggestedIn = (bytes: Uint8Array | null | undefined): ReadonlySet<string> =>
  new Set(suggestionsIn(bytes).keys())

/** Puts the list of a key, or removes the key with its last suggestion. */
export function setSuggestions(all: KeyEntries<Suggestion[]>, key: string, list: Suggestion[]): void {
  if (list.length === 0) all.delete(key)
  else all.set(key, list)
}

/** Names a suggestion of a change. Each run of the change gives it the same id. @param seed random, of the change */
export const suggestionId = (seed: string, path: string, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([seed, path, key]))
    .digest('base64url')
    .slice(0, 12)

/** Adds a suggestion in place of its author's earlier ones. `full`: too many others wait for the key. */
export function addSuggestion(
  all: KeyEntries<Suggestion[]>,
  key: string,
  suggestion: Suggestion,
): 'added' | 'present' | 'full' {
  const list = all.get(key) ?? []
  if (!hasRoom(list, suggestion)) return 'full'
  const now = withSuggestion(list, suggestion, key)
  if (now === list) return 'present'
  all.set(key, now)
  return 'added'
}
