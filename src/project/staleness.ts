/**
 * Updates the entries of a namespace (`stale.ts`) after a change, by bytes alone, for the worker: first the changes of
 * the source, then the stale translations of each language, then the file.
 *
 * A translation is written for the source message of its time. A change that brings back an earlier translation brings
 * back its source message, too. The translation is stale while the present source message is another one.
 */
import { bundleIn } from '../bundle/canonical.ts'
import { type KeyChange, sameMessage } from '../bundle/diff.ts'
import type { KeyRenaming } from '../bundle/edit-key.ts'
import { findMessage } from '../bundle/find.ts'
import type { Message } from '../bundle/message.ts'
import type { Bundle } from '../bundle/resource.ts'
import { entryOrigin, type FollowedTexts, isFilled, type MessageByKey, nameAfter, nameBefore } from './follow-key.ts'
import { NO_STALE, parseStale, renderStale, type StaleEntries, type StaleEntry, sourceOf, sourceThen } from './stale.ts'
import { compare, resourceIn, type VersionBytes } from './versions.ts'

/** The earlier state of a language's texts, for a change that brings them back. */
export interface OriginBytes {
  /** The translations, the source and the entries of that state. */
  target: Uint8Array | null
  source: Uint8Array | null
  entries: Uint8Array | null
  /** The only key, null for all. */
  key: string | null
  /** The source as it is now. */
  present: Uint8Array | null
  /** For the undo of a commit: what it left. Only the keys that it changed come from the earlier state. */
  until: { source: Uint8Array | null; entries: Uint8Array | null } | null
}

/** One language of a namespace in a change. */
export interface StaleTarget {
  language: string
  /** Its bundle; `before` is undefined when the change left it alone; `after` null when that is not needed. */
  before: Uint8Array | null | undefined
  after: Uint8Array | null
  origin: OriginBytes | null
}

/** A changed key of the source, and its entries before. */
export interface SourceChange extends KeyChange {
  entries: readonly StaleEntry[]
}

/** Some languages of a namespace in a change. */
export interface StaleTask {
  targets: StaleTarget[]
  /** The entries before. */
  entries: Uint8Array | null
  /** What {@link sourceChanges} found, null when the source stayed. */
  changes: Uint8Array | null
  renamed: readonly KeyRenaming[]
  /** Whether a changed translation stays as stale as it was. */
  keepsStale: boolean
}

/** A language's new entries: the source message of each key's translation, null where it is not stale. */
type Restated = [language: string, keys: [key: string, source: Message | null][]]

/** A source's versions, and the entries. */
export interface SourceTask extends VersionBytes {
  entries: Uint8Array | null
  /** All keys that may differ, as JSON, if they are known; the versions are not needed then. */
  keys?: Uint8Array | undefined
  /** The languages that {@link SourceFound} considers. */
  languages: string[]
}

/** The changes of the source, and the languages that they concern. */
export interface SourceFound {
  /** The keys, as JSON: objects are slow to hand over between threads. */
  changes: Uint8Array
  /** Languages with translations of these keys that have to be read: some may be stale by the change. */
  reads: string[]
  /** Languages with an entry that ends: the source message is again the one of the translation. */
  ends: string[]
}

/** The changed keys of the source, and the languages that they concern. */
export function sourceChanges({ entries, keys, languages, ...versions }: SourceTask): SourceFound {
  const known = keys && fromJson<KeyChange[]>(keys)
  const differing = known?.filter(({ before, after }) => !sameMessage(before, after)) ?? compare(versions)
  const noted = differing.length === 0 ? NO_STALE : parseStale(entries)
  const changes = differing.map(
    ({ key, before, after }): SourceChange => ({ key, before, after, entries: noted.get(key) ?? [] }),
  )
  return {
    changes: asJson(changes),
    // An entry, or a missing source message before, settles the matter without the translation.
    reads: languages.filter(language =>
      changes.some(({ before, entries }) => before !== null && sourceOf(entries, language) === undefined),
    ),
    ends: languages.filter(language =>
      changes.some(({ after, entries }) => {
        const source = sourceOf(entries, language)
        return source !== undefined && sameMessage(source, after)
      }),
    ),
  }
}

/** The new entries of languages as JSON, only of those with a change. */
export function staleIn({ targets, entries, changes, renamed, keepsStale }: StaleTask): Uint8Array {
  const changed = new Map<string, SourceChange>()
  for (const change of changes === null ? [] : fromJson<SourceChange[]>(changes)) changed.set(change.key, change)
  const read: SharedReads = { bundle: once(bundleIn), entries: once(parseStale) }
  const restated = targets.map((target): Restated => {
    const { language, before, origin } = target
    if (before === undefined && origin === null && renamed.length === 0) return [language, untouched(target, changed)]
    const past = origin && new Past(language, origin, read)
    return [language, touched(target, read.entries(entries), changed, { renamed, keepsStale }, past)]
  })
  return asJson(restated.filter(([, keys]) => keys.length > 0))
}

/** Entries of unchanged translations stand: a noted translation is filled, and its source message is known. */
function untouched({ language, after }: StaleTarget, changed: ReadonlyMap<string, SourceChange>): Restated[1] {
  const message = messagesIn(after, changed.size)
  return Array.from(changed.values()).flatMap(({ key, before, after, entries }): Restated[1] => {
    const source = sourceOf(entries, language)
    if (source !== undefined) return sameMessage(source, after) ? [[key, null]] : []
    return before !== null && isFilled(message(key)) ? [[key, before]] : []
  })
}

function touched(
  { language, before, after }: StaleTarget,
  entries: StaleEntries,
  changed: ReadonlyMap<string, SourceChange>,
  { renamed, keepsStale }: Pick<StaleTask, 'renamed' | 'keepsStale'>,
  past: Past | null,
): Restated[1] {
  const noted = new Map<string, Message>()
  for (const [key, list] of entries) {
    const source = sourceOf(list, language)
    if (source !== undefined) noted.set(key, source)
  }
  /** The source message of a translation before the change; null when the source had none. */
  const sourceBefore = (key: string): Message | null => noted.get(key) ?? changed.get(key)?.before ?? null
  const changing = new Set([...changed.keys(), ...Array.from(noted.keys(), key => nameAfter(key, renamed))])
  const candidates =
    past === null
      ? [...changing]
      : bundleIn(after)
          .tree.entries()
          .map(({ key }) => key)
  const now = messagesIn(after, candidates.length)
  const texts: FollowedTexts = {
    before: before === undefined ? now : messagesIn(before, candidates.length),
    after: now,
    renamed,
    keepsEntries: keepsStale,
    past: past?.message,
  }
  const stale = new Map<string, Message>()
  for (const key of candidates) {
    const change = changed.get(key)
    const isAsLeft = () => past!.isAsLeft(key, sourceBefore(key) ?? (change ? null : past!.present(key)))
    const origin = entryOrigin(key, texts, isAsLeft)
    if (origin === undefined) continue
    const isPast = origin === 'past'
    const source = isPast ? past!.sourceOfTranslation(key) : sourceBefore(nameBefore(key, renamed))
    // Without a change of the source there, an entry stays true.
    const present = isPast ? past!.present(key) : change?.after
    if (source !== null && (present === undefined || !sameMessage(source, present))) stale.set(key, source)
  }
  const gone = Array.from(noted.keys()).filter(key => !stale.has(key))
  const changedEntries = Array.from(stale).filter(([key, source]) => !sameMessage(source, noted.get(key) ?? null))
  return [...gone.map((key): [string, null] => [key, null]), ...changedEntries]
}

/** Whether {@link staleIn} found no change: the JSON is an empty array. */
export const hasNoChange = (found: Uint8Array): boolean => found.length === 2

/** The new file of entries, null for none. @param task.found the answers of {@link staleIn} */
export function staleFile({ entries, found }: { entries: Uint8Array | null; found: Uint8Array[] }): Uint8Array | null {
  const restated = found.flatMap(of => fromJson<Restated[]>(of))
  return renderStale(restate(parseStale(entries), restated))
}

/** The keys to remove a language's entries from. */
export interface ConfirmTask {
  entries: Uint8Array | null
  language: string
  keys: string[]
}

/** Removes a language's entries from keys. @returns the stale ones of the keys, and the new file if there were any */
export function confirmStale({ entries, language, keys }: ConfirmTask): { stale: string[]; file: Uint8Array | null } {
  const noted = parseStale(entries)
  const stale = keys.filter(key => sourceThen(noted, key, language) !== undefined)
  if (stale.length === 0) return { stale, file: null }
  return { stale, file: renderStale(restate(noted, [[language, stale.map(key => [key, null])]])) }
}

/** Replaces some entries; the others stay. */
function restate(entries: StaleEntries, restated: readonly Restated[]): StaleEntries {
  const byKey = new Map<string, Map<string, Message | null>>()
  for (const [language, keys] of restated) {
    for (const [key, source] of keys) byKey.set(key, (byKey.get(key) ?? new Map()).set(language, source))
  }
  const all = new Map(entries)
  for (const [key, made] of byKey) {
    const bySource = new Map<string, StaleEntry>()
    const add = (source: Message, language: string) => {
      const name = JSON.stringify(source)
      bySource.set(name, { source, languages: [...(bySource.get(name)?.languages ?? []), language].sort() })
    }
    for (const { source, languages } of entries.get(key) ?? []) {
      for (const language of languages) if (!made.has(language)) add(source, language)
    }
    for (const [language, source] of made) if (source !== null) add(source, language)
    if (bySource.size > 0) all.set(key, [...bySource.values()])
    else all.delete(key)
  }
  return all
}

/** The reads that languages of a task share. */
interface SharedReads {
  bundle: (bytes: Uint8Array | null) => Bundle
  entries: (bytes: Uint8Array | null) => StaleEntries
}

/** Reads what several languages share once. */
function once<T>(read: (bytes: Uint8Array | null) => T): (bytes: Uint8Array | null) => T {
  const known = new Map<Uint8Array | null, T>()
  return bytes => {
    const found = known.get(bytes) ?? read(bytes)
    known.set(bytes, found)
    return found
  }
}

/** The earlier state that a change brings back. */
class Past {
  /** The texts that the change brings back. */
  readonly message: MessageByKey
  /** The source as it is now. */
  readonly present: MessageByKey
  /** The source message of a translation then; null when the source had none. */
  readonly sourceOfTranslation: MessageByKey
  /** The same in the state that the undone commit left. */
  readonly #sourceLeft: MessageByKey | undefined

  constructor(language: string, { target, source, entries, key, present, until }: OriginBytes, read: SharedReads) {
    const sourceIn = (state: { source: Uint8Array | null; entries: Uint8Array | null }): MessageByKey => {
      const [texts, noted] = [messagesOf(read.bundle(state.source)), read.entries(state.entries)]
      return key => sourceThen(noted, key, language) ?? texts(key)
    }
    const texts = messagesOf(bundleIn(target))
    this.message = name => (key === null || key === name ? texts(name) : null)
    this.present = messagesOf(read.bundle(present))
    this.sourceOfTranslation = sourceIn({ source, entries })
    this.#sourceLeft = until ? sourceIn(until) : undefined
  }

  /** Whether a translation has the source message that the undone commit left. @param source its message now */
  isAsLeft(key: string, source: Message | null): boolean {
    return this.#sourceLeft === undefined || sameMessage(this.#sourceLeft(key), source)
  }
}

const messagesOf =
  (bundle: Bundle): MessageByKey =>
  key =>
    bundle.message(key) ?? null

/** Maximum number of keys that are found one by one in the JSON. For more, building the tree is faster. */
const FEW = 32

/** The messages of a file. @param wanted the number of keys that will be asked for */
function messagesIn(bytes: Uint8Array | null, wanted: number): MessageByKey {
  if (bytes === null || wanted > FEW) return messagesOf(bundleIn(bytes))
  const resource = resourceIn(bytes)
  return key => findMessage(resource, key) ?? null
}

const asJson = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

const fromJson = <T>(bytes: Uint8Array): T => JSON.parse(Buffer.from(bytes).toString('utf8'))
