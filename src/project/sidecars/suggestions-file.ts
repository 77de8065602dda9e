/** The file with the suggestions for a bundle's texts: `<slug>/suggestions/<language>/<namespace>.json`. */
import { Failure } from '../../bundle/errors.ts'
import type { KeyEntries } from '../../bundle/key-entries.ts'
import { checkSuggestions, type Suggestion } from '../../bundle/suggestion.ts'
import { entryAt, parseEntries, validEntries, validEntry } from './key-file.ts'

/** Reads a file by the rules of a write. @throws Failure `invalid` or `unfit` naming the culprit */
export function parseSuggestions(bytes: Uint8Array): KeyEntries<Suggestion[]> {
  const known = new Set<string>()
  return parseEntries(bytes, 'suggestions', (key, entry) => {
    const list = checkedList(key, entry)
    for (const { id } of list ?? []) {
      if (known.has(id)) throw new Failure('unfit', `Two keys have a suggestion with the id "${id}".`)
      known.add(id)
    }
    return list
  })
}

/** The suggestions at HEAD: a list that breaks the rules is left out. */
export const suggestionsIn = (bytes: Uint8Array | null | undefined): KeyEntries<Suggestion[]> =>
  validEntries(bytes, checkedList)

function checkedList(key: string, entry: unknown): Suggestion[] | undefined {
  const list = checkSuggestions(key, entry)
  return list.length === 0 ? undefined : list
}

/** The keys with a suggestion that waits. */
export const suggestedIn = (bytes: Uint8Array | null | undefined): ReadonlySet<string> =>
  new Set(suggestionsIn(bytes).keys())

/** The suggestions for one key. */
export const suggestionsFor = ({ file, key }: { file: Uint8Array | null; key: string }): Suggestion[] => {
  if (file === null) return []
  // The file is canonical, unless a person committed another one.
  const entry = entryAt(file, key)
  return (entry === undefined ? suggestionsIn(file).get(key) : validEntry(key, entry, checkedList)) ?? []
}

/** Puts the list of a key, or removes the key with its last suggestion. */
export function setSuggestions(all: KeyEntries<Suggestion[]>, key: string, list: Suggestion[]): void {
  if (list.length === 0) all.delete(key)
  else all.set(key, list)
}
