/**
 * Updates the notes of a namespace (`stale.ts`) after a change, by bytes alone, for the worker: first the changes of
 * the source, then the stale translations of each language, then the file.
 *
 * A translation is written for the source message of its time. A change that brings back an earlier translation brings
 * back its source message, too. The translation is stale while the present source message is another one.
 */
import { bundleIn } from '../bundle/canonical.ts'
import { type KeyChange, sameMessage } from '../bundle/diff.ts'
import { findMessage, mayName } from '../bundle/find.ts'
import { linesOf, type Message, partsOf } from '../bundle/message.ts'
import type { Bundle } from '../bundle/resource.ts'
import { NO_NOTES, parseStale, renderStale, type StaleNote, type StaleNotes, sourceOf, sourceThen } from './stale.ts'
import { compare, resourceIn, type VersionBytes } from './versions.ts'

/** A key that a change renamed in all languages. */
export interface KeyRenaming {
  from: string
  to: string
}

/** The earlier state of a language's texts, for a change that brings them back. */
export interface OriginBytes {
  /** The translations, the source and the notes of that state. */
  target: Uint8Array | null
  source: Uint8Array | null
  notes: Uint8Array | null
  /** The only key, null for all. */
  key: string | null
  /** The source as it is now. */
  present: Uint8Array | null
  /** For the undo of a commit: what it left. Only the keys that it changed come from the earlier state. */
  until: { source: Uint8Array | null; notes: Uint8Array | null } | null
}

/** One language of a namespace in a change. */
export interface StaleTarget {
  language: string
  /** Its bundle; `before` is undefined when the change left it alone; `after` null when that is not needed. */
  before: Uint8Array | null | undefined
  after: Uint8Array | null
  origin: OriginBytes | null
}

/** A changed key of the source, and its notes before. */
export interface SourceChange extends KeyChange {
  notes: readonly StaleNote[]
}

/** Some languages of a namespace in a change. */
export interface StaleTask {
  targets: StaleTarget[]
  /** The notes before. */
  notes: Uint8Array | null
  /** What {@link sourceChanges} found, null when the source stayed. */
  changes: Uint8Array | null
  renamed: KeyRenaming | null
  /** Whether a changed translation stays as stale as it was. */
  keepsStale: boolean
}

/** A language's new notes: the source message of each key's translation, null where it is not stale. */
type Restated = [language: string, keys: [key: string, source: Message | null][]]

/** A source's versions, and the notes. */
export interface SourceTask extends VersionBytes {
  notes: Uint8Array | null
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
  /** Languages with a note that ends: the source message is again the one of the translation. */
  ends: string[]
}

/** The changed keys of the source, and the languages that they concern. */
export function sourceChanges({ notes, keys, languages, ...versions }: SourceTask): SourceFound {
  const known = keys && fromJson<KeyChange[]>(keys)
  const differing = known?.filter(({ before, after }) => !sameMessage(before, after)) ?? compare(versions)
  const noted = differing.length === 0 ? NO_NOTES : parseStale(notes)
  const changes = differing.map(
    ({ key, before, after }): SourceChange => ({ key, before, after, notes: noted.get(key) ?? [] }),
  )
  return {
    changes: asJson(changes),
    // A note, or a missing source message before, settles the matter without the translation.
    reads: languages.filter(language =>
      changes.some(({ before, notes }) => before !== null && sourceOf(notes, language) === undefined),
    ),
    ends: languages.filter(language =>
      changes.some(({ after, notes }) => {
        const source = sourceOf(notes, language)
        return source !== undefined && sameMessage(source, after)
      }),
    ),
  }
}

const changesIn = (found: Uint8Array): SourceChange[] => fromJson(found)

/** The new notes of languages as JSON, only of those with a change. */
export function staleIn({ targets, notes, changes, renamed, keepsStale }: StaleTask): Uint8Array {
  const changed = new Map<string, SourceChange>()
  for (const change of changes === null ? [] : changesIn(changes)) changed.set(change.key, change)
  const read = new ReadOnce()
  const restated = targets.map((target): Restated => {
    const { language, before, origin } = target
    if (before === undefined && origin === null && renamed === null) return [language, untouched(target, changed)]
    const past = origin && new Past(language, origin, read)
    return [language, touched(target, read.notes(notes), changed, { renamed, keepsStale }, past)]
  })
  return asJson(restated.filter(([, keys]) => keys.length > 0))
}

/** Notes of unchanged translations stand: a noted translation is filled, and its source message is known. */
function untouched({ language, after }: StaleTarget, changed: ReadonlyMap<string, SourceChange>): Restated[1] {
  const texts = new Texts(after, changed.size)
  return Array.from(changed.values()).flatMap(({ key, before, after, notes }): Restated[1] => {
    const source = sourceOf(notes, language)
    if (source !== undefined) return sameMessage(source, after) ? [[key, null]] : []
    return before !== null && isFilled(texts.message(key)) ? [[key, before]] : []
  })
}

function touched(
  { language, before, after }: StaleTarget,
  notes: StaleNotes,
  changed: ReadonlyMap<string, SourceChange>,
  { renamed, keepsStale }: Pick<StaleTask, 'renamed' | 'keepsStale'>,
  past: Past | null,
): Restated[1] {
  const nameThen = (key: string) => (key === renamed?.to ? renamed.from : key)
  const nameNow = (key: string) => (key === renamed?.from ? renamed.to : key)
  const noted = new Map<string, Message>()
  for (const [key, list] of notes) {
    const source = sourceOf(list, language)
    if (source !== undefined) noted.set(key, source)
  }
  /** The source message of a translation before the change; null when the source had none. */
  const sourceOfTranslation = (key: string): Message | null => noted.get(key) ?? changed.get(key)?.before ?? null
  const stale = new Map<string, Message>()
  const isAlone = before === undefined && past === null
  // Where neither source nor translation changed, a note stays.
  for (const [key, source] of isAlone ? noted : []) if (!changed.has(nameNow(key))) stale.set(nameNow(key), source)

  const candidates = new Set([...changed.keys(), ...(isAlone ? [] : Array.from(noted.keys(), nameNow))])
  const wanted = past === null ? candidates.size : Infinity
  const now = new Texts(after, wanted)
  const then = before === undefined ? now : new Texts(before, wanted)
  for (const key of past === null ? candidates : now.keys()) {
    const message = now.message(key)
    if (!isFilled(message)) continue
    const was = then.message(nameThen(key))
    // A translation that was empty or missing had no source message.
    const stays = sameMessage(was, message) || (keepsStale && isFilled(was))
    const sourceBefore = () => sourceOfTranslation(key) ?? (changed.has(key) ? null : past!.present(key))
    if (past?.covers(key, message, stays, sourceBefore)) {
      const source = past.sourceOfTranslation(key)
      if (source !== null && !sameMessage(source, past.present(key))) stale.set(key, source)
    } else if (stays) {
      const source = sourceOfTranslation(nameThen(key))
      const change = changed.get(key)
      // Without a change of the source there, a note stays true.
      if (source !== null && (change === undefined || !sameMessage(source, change.after))) stale.set(key, source)
    }
  }
  const gone = Array.from(noted.keys()).filter(key => !stale.has(key))
  const changedNotes = Array.from(stale).filter(([key, source]) => !sameMessage(source, noted.get(key) ?? null))
  return [...gone.map((key): [string, null] => [key, null]), ...changedNotes]
}

/** Whether {@link staleIn} found no change: the JSON is an empty array. */
export const hasNoChange = (found: Uint8Array): boolean => found.length === 2

/** The new file of notes, null for none. @param task.found the answers of {@link staleIn} */
export function notesFile({ notes, found }: { notes: Uint8Array | null; found: Uint8Array[] }): Uint8Array | null {
  const restated = found.flatMap(of => fromJson<Restated[]>(of))
  return renderStale(restate(parseStale(notes), restated))
}

/** The keys to remove a language's notes from. */
export interface ConfirmTask {
  notes: Uint8Array | null
  language: string
  keys: string[]
}

/** Removes a language's notes from keys. @returns the stale ones of the keys, and the new file if there were any */
export function confirmStale({ notes, language, keys }: ConfirmTask): { stale: string[]; file: Uint8Array | null } {
  const noted = parseStale(notes)
  const stale = keys.filter(key => sourceThen(noted, key, language) !== undefined)
  if (stale.length === 0) return { stale, file: null }
  return { stale, file: renderStale(restate(noted, [[language, stale.map(key => [key, null])]])) }
}

/** Replaces some notes; the others stay. */
function restate(notes: StaleNotes, restated: readonly Restated[]): StaleNotes {
  const byKey = new Map<string, Map<string, Message | null>>()
  for (const [language, keys] of restated) {
    for (const [key, source] of keys) byKey.set(key, (byKey.get(key) ?? new Map()).set(language, source))
  }
  const all = new Map(notes)
  for (const [key, made] of byKey) {
    const bySource = new Map<string, StaleNote>()
    const add = (source: Message, language: string) => {
      const name = JSON.stringify(source)
      bySource.set(name, { source, languages: [...(bySource.get(name)?.languages ?? []), language].sort() })
    }
    for (const { source, languages } of notes.get(key) ?? []) {
      for (const language of languages) if (!made.has(language)) add(source, language)
    }
    for (const [language, source] of made) if (source !== null) add(source, language)
    if (bySource.size > 0) all.set(key, [...bySource.values()])
    else all.delete(key)
  }
  return all
}

/** Reads what several languages share once. */
class ReadOnce {
  readonly #bundles = new Map<Uint8Array | null, Bundle>()
  readonly #notes = new Map<Uint8Array | null, StaleNotes>()

  bundle(bytes: Uint8Array | null): Bundle {
    const bundle = this.#bundles.get(bytes) ?? bundleIn(bytes)
    this.#bundles.set(bytes, bundle)
    return bundle
  }

  notes(bytes: Uint8Array | null): StaleNotes {
    const notes = this.#notes.get(bytes) ?? parseStale(bytes)
    this.#notes.set(bytes, notes)
    return notes
  }
}

/** The earlier state that a change brings back. */
class Past {
  readonly #language: string
  readonly #key: string | null
  readonly #target: Bundle
  readonly #source: Bundle
  readonly #notes: StaleNotes
  readonly #present: Bundle
  readonly #until: { source: Bundle; notes: StaleNotes } | undefined

  constructor(language: string, { target, source, notes, key, present, until }: OriginBytes, read: ReadOnce) {
    this.#language = language
    this.#key = key
    this.#target = bundleIn(target)
    this.#source = read.bundle(source)
    this.#notes = read.notes(notes)
    this.#present = read.bundle(present)
    this.#until = until ? { source: read.bundle(until.source), notes: read.notes(until.notes) } : undefined
  }

  /** The source as it is now. */
  present(key: string): Message | null {
    return this.#present.message(key) ?? null
  }

  /** The source message of the translation then; null when the source had none. */
  sourceOfTranslation(key: string): Message | null {
    return sourceThen(this.#notes, key, this.#language) ?? this.#source.message(key) ?? null
  }

  /**
   * Whether a translation comes from that state.
   * @param stays whether the change left it alone @param sourceBefore its source message before the change
   */
  covers(key: string, message: Message, stays: boolean, sourceBefore: () => Message | null): boolean {
    if (this.#key !== null && key !== this.#key) return false
    if (!sameMessage(this.#target.message(key) ?? null, message)) return false
    if (this.#until === undefined || !stays) return true
    const { source, notes } = this.#until
    const left = sourceThen(notes, key, this.#language) ?? source.message(key) ?? null
    return sameMessage(left, sourceBefore())
  }
}

/** Maximum of keys that are found one by one; for more the file is parsed. */
const FEW = 32
/** Maximum of keys for which the file's bytes are searched first. */
const SEARCHED = 4

/** A bundle's messages by key, read when they are asked for, as far as is worth it. */
class Texts {
  readonly #bytes: Uint8Array | null
  readonly #wanted: number
  #bundle: Bundle | undefined
  #resource: object | undefined

  /** @param wanted how many keys will be asked for */
  constructor(bytes: Uint8Array | null, wanted: number) {
    this.#bytes = bytes
    this.#wanted = wanted
  }

  keys(): string[] {
    return this.#whole.tree.entries().map(({ key }) => key)
  }

  message(key: string): Message | null {
    if (this.#bytes === null) return null
    if (this.#wanted > FEW) return this.#whole.message(key) ?? null
    const isRead = this.#resource !== undefined || this.#wanted > SEARCHED
    if (!isRead && !mayName(this.#bytes, key)) return null
    this.#resource ??= resourceIn(this.#bytes)
    return findMessage(this.#resource, key) ?? null
  }

  get #whole(): Bundle {
    this.#bundle ??= bundleIn(this.#bytes)
    return this.#bundle
  }
}

/** Whether a message is a complete translation, which can be stale. */
const isFilled = (message: Message | null): message is Message =>
  message !== null && linesOf(partsOf(message)).every(([, text]) => text !== '')

const asJson = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

const fromJson = <T>(bytes: Uint8Array): T => JSON.parse(Buffer.from(bytes).toString('utf8'))
