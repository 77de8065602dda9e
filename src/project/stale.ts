/**
 * Entries of stale translations: their languages, and the source message that each one translates. Each namespace has a
 * file of entries in git beside its bundles, so that entries are cloned, restored and read as of any state.
 */
import { isObject } from '../bundle/body.ts'
import { entriesIn } from '../bundle/key-entries.ts'
import { FORMS, type Forms, type Message, messageOf } from '../bundle/message.ts'
import { namespaceOf } from './project.ts'
import { renderEntries } from './sidecars/key-file.ts'
import type { State } from './state.ts'

/** The source message that translations of a key were written for, and their languages in code-unit order. */
export interface StaleEntry {
  source: Message
  languages: string[]
}

/** The entries of a namespace by key. Entries of a key that the source lacks stay: the key may return. */
export type StaleEntries = ReadonlyMap<string, readonly StaleEntry[]>

export const NO_STALE: StaleEntries = new Map()

/** The file of a namespace's entries; there is none while nothing is stale. */
export const stalePath = (slug: string, namespace: string): string => `${staleFolder(slug)}/${namespace}.json`

/** The folder of a project's entries. */
export const staleFolder = (slug: string): string => `${slug}/stale`

/** The files of a project's entries. */
export const staleFiles = (state: State, slug: string): string[] =>
  state.list(staleFolder(slug)).flatMap(({ name }) => (namespaceOf(name) ? `${staleFolder(slug)}/${name}` : []))

/** Reads a file of entries. A bad file, which a person may have committed, has no entries. */
export function parseStale(bytes: Uint8Array | null | undefined): StaleEntries {
  if (!bytes) return NO_STALE
  const entries = new Map<string, StaleEntry[]>()
  for (const [key, list] of entriesIn(bytes)) {
    const read = Array.isArray(list) ? list.map(entryFrom).filter(entry => entry !== undefined) : []
    if (read.length > 0) entries.set(key, read)
  }
  return entries
}

/** The numbers of translations that become stale by a change, and that stop being stale. */
export interface StaleCounts {
  added: number
  removed: number
}

/** By the files of a namespace's entries. */
export function countStale({ before, after }: Record<'before' | 'after', Uint8Array | null>): StaleCounts {
  const [noted, entries] = [parseStale(before), parseStale(after)]
  return { added: countOnly(entries, noted), removed: countOnly(noted, entries) }
}

/** The number of translations that are stale by these entries and not by others. */
function countOnly(entries: StaleEntries, others: StaleEntries): number {
  let count = 0
  for (const [key, list] of entries) {
    const languages = list.flatMap(entry => entry.languages)
    count += languages.filter(language => sourceThen(others, key, language) === undefined).length
  }
  return count
}

/** The canonical file of entries, null without any: keys in code-unit order, entries by their first language. */
export function renderStale(entries: StaleEntries): Buffer | null {
  const sorted = new Map<string, StaleEntry[]>()
  for (const [key, list] of entries) {
    if (list.length > 0)
      sorted.set(
        key,
        [...list].sort((a, b) => (a.languages[0]! < b.languages[0]! ? -1 : 1)),
      )
  }
  return renderEntries(sorted, MEMBERS)
}

/** The source message that a language's stale translation of a key was written for. */
export function sourceThen(entries: StaleEntries, key: string, language: string): Message | undefined {
  return sourceOf(entries.get(key) ?? [], language)
}

/** As {@link sourceThen}, among a key's entries. */
export function sourceOf(entries: readonly StaleEntry[], language: string): Message | undefined {
  return entries.find(({ languages }) => languages.includes(language))?.source
}

/** The members of an entry, in their order in the file. */
const MEMBERS = ['source', 'languages', 'text', 'cardinal', 'ordinal', ...FORMS]

function entryFrom(value: unknown): StaleEntry | undefined {
  if (!isObject(value) || !Array.isArray(value.languages)) return undefined
  const source = messageFrom(value.source)
  const languages = value.languages.filter(name => typeof name === 'string').sort()
  return source === undefined || languages.length === 0 ? undefined : { source, languages }
}

function messageFrom(value: unknown): Message | undefined {
  if (typeof value === 'string') return value
  if (!isObject(value)) return undefined
  const text = typeof value.text === 'string' ? value.text : undefined
  const message = messageOf({ text, cardinal: formsFrom(value.cardinal), ordinal: formsFrom(value.ordinal) })
  return typeof message === 'object' && Object.keys(message).length === 0 ? undefined : message
}

function formsFrom(value: unknown): Forms | undefined {
  if (!isObject(value)) return undefined
  const forms = FORMS.filter(form => typeof value[form] === 'string').map(form => [form, value[form]])
  return forms.length === 0 ? undefined : Object.fromEntries(forms)
}
