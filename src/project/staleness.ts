/**
 * What a change makes of the notes of a namespace (`stale.ts`), by bytes alone, for the worker: first what the source
 * says otherwise now, then for each language which translations are older, then the file.
 *
 * A translation is made of the source message that stood there when it was written. One that an earlier state brings
 * back is made of what it was made of then. It is stale where the source now says something else.
 */
import { type KeyChange, sameMessage } from '../bundle/diff.ts'
import { linesOf, type Message } from '../bundle/message.ts'
import type { Bundle } from '../bundle/resource.ts'
import { NO_NOTES, parseStale, renderStale, type StaleNote, type StaleNotes, sourceThen } from './stale.ts'
import { bundleIn, compare, type VersionBytes } from './versions.ts'

/** A key that a change renamed in all languages. */
export interface Renaming {
  from: string
  to: string
}

/** Where a language's texts come from, when a change takes them from an earlier state. */
export interface OriginBytes {
  /** The translations, the source and the notes of that state. */
  target: Uint8Array | null
  source: Uint8Array | null
  notes: Uint8Array | null
  /** The only key, null for all. */
  key: string | null
  /** The source as it is now. */
  present: Uint8Array | null
  /** Set when a commit is undone: what it left. Only what it did to a key is taken from the earlier state. */
  until: { source: Uint8Array | null; notes: Uint8Array | null } | null
}

/** One language of a namespace in a change. */
export interface StaleTask {
  language: string
  /** Its bundle; `before` is undefined when the change left it alone. */
  before: Uint8Array | null | undefined
  after: Uint8Array | null
  /** The notes before. */
  notes: Uint8Array | null
  /** What {@link sourceChanges} found, null when the source stayed. */
  changes: Uint8Array | null
  renamed: Renaming | null
  origin: OriginBytes | null
}

/** The keys in which the source differs, as JSON: objects are slow to hand over between threads. */
export function sourceChanges(versions: VersionBytes): Uint8Array {
  return Buffer.from(JSON.stringify(compare(versions)))
}

/** A language's stale translations after a change: keys and what each was made of, as JSON. */
export function staleIn(task: StaleTask): Uint8Array {
  const { language, notes, changes, renamed, origin } = task
  const before = parseStale(notes)
  const changed = new Map<string, KeyChange>()
  for (const change of changes === null ? [] : (JSON.parse(Buffer.from(changes).toString('utf8')) as KeyChange[])) {
    changed.set(change.key, change)
  }
  const nameThen = (key: string) => (key === renamed?.to ? renamed.from : key)
  const nameNow = (key: string) => (key === renamed?.from ? renamed.to : key)
  const noted = [...before].filter(([, list]) => list.some(({ languages }) => languages.includes(language)))
  const candidates = new Set([...changed.keys(), ...noted.map(([key]) => nameNow(key))])
  const stale: [key: string, source: Message][] = []
  if (candidates.size === 0 && origin === null) return asJson(stale)

  const after = bundleIn(task.after)
  const present = task.before === undefined ? after : bundleIn(task.before)
  /** What a translation was made of before the change; null when the source had nothing there. */
  const madeOf = (key: string): Message | null => sourceThen(before, key, language) ?? changed.get(key)?.before ?? null
  const past = origin && new Past(language, origin)
  for (const key of keysOf(after, past === null ? candidates : undefined)) {
    const message = after.message(key)!
    if (!isFilled(message)) continue
    const old = present.message(nameThen(key)) ?? null
    const stays = sameMessage(old, message)
    const now = changed.get(key)?.after
    if (past?.covers(key, message, stays, madeOf)) {
      const source = past.madeOf(key)
      if (source !== null && !sameMessage(source, past.present(key))) stale.push([key, source])
    } else if (stays) {
      const source = madeOf(nameThen(key))
      // Without a change of the source there, a note stays true.
      if (source !== null && (now === undefined || !sameMessage(source, now))) stale.push([key, source])
    }
  }
  return asJson(stale)
}

/** The new file of notes, null for none. */
export function notesFile(task: {
  notes: Uint8Array | null
  /** The languages looked at; the notes of others stay. */
  found: { language: string; stale: Uint8Array }[]
}): Uint8Array | null {
  const before = parseStale(task.notes)
  const looked = new Set(task.found.map(({ language }) => language))
  const notes = new Notes()
  for (const [key, list] of before) {
    for (const { source, languages } of list) {
      for (const language of languages) if (!looked.has(language)) notes.add(key, source, language)
    }
  }
  for (const { language, stale } of task.found) {
    const rows: [string, Message][] = JSON.parse(Buffer.from(stale).toString('utf8'))
    for (const [key, source] of rows) notes.add(key, source, language)
  }
  return renderStale(notes.all())
}

/** The notes without those of some keys in a language. */
export function withoutNotes(notes: StaleNotes, language: string, keys: ReadonlySet<string>): StaleNotes {
  const left = new Notes()
  for (const [key, list] of notes) {
    for (const { source, languages } of list) {
      for (const name of languages) if (name !== language || !keys.has(key)) left.add(key, source, name)
    }
  }
  return left.all()
}

/** Gathers languages by key and source. */
class Notes {
  readonly #byKey = new Map<string, Map<string, StaleNote>>()

  add(key: string, source: Message, language: string): void {
    const notes = this.#byKey.get(key) ?? new Map<string, StaleNote>()
    this.#byKey.set(key, notes)
    const name = JSON.stringify(source)
    const note = notes.get(name) ?? { source, languages: [] }
    notes.set(name, note)
    note.languages.push(language)
  }

  all(): StaleNotes {
    const notes = new Map<string, StaleNote[]>()
    for (const [key, list] of this.#byKey) {
      notes.set(
        key,
        [...list.values()].map(({ source, languages }) => ({ source, languages: languages.sort() })),
      )
    }
    return notes.size === 0 ? NO_NOTES : notes
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

  constructor(language: string, { target, source, notes, key, present, until }: OriginBytes) {
    this.#language = language
    this.#key = key
    this.#target = bundleIn(target)
    this.#source = bundleIn(source)
    this.#notes = parseStale(notes)
    this.#present = bundleIn(present)
    this.#until = until ? { source: bundleIn(until.source), notes: parseStale(until.notes) } : undefined
  }

  /** The source as it is now. */
  present(key: string): Message | null {
    return this.#present.message(key) ?? null
  }

  /** What the translation was made of then; null when the source had nothing there. */
  madeOf(key: string): Message | null {
    return sourceThen(this.#notes, key, this.#language) ?? this.#source.message(key) ?? null
  }

  /**
   * Whether a translation is taken from then.
   * @param stays whether the change left it alone @param madeOf what it was made of before the change
   */
  covers(key: string, message: Message, stays: boolean, madeOf: (key: string) => Message | null): boolean {
    if (this.#key !== null && key !== this.#key) return false
    if (!sameMessage(this.#target.message(key) ?? null, message)) return false
    if (this.#until === undefined || !stays) return true
    const { source, notes } = this.#until
    const left = sourceThen(notes, key, this.#language) ?? source.message(key) ?? null
    return sameMessage(left, madeOf(key) ?? this.present(key))
  }
}

/** The keys of a bundle: all, or those of a set. */
function* keysOf(bundle: Bundle, wanted: ReadonlySet<string> | undefined): Iterable<string> {
  if (wanted !== undefined && wanted.size <= bundle.size) {
    for (const key of wanted) if (bundle.tree.get(key) !== undefined) yield key
    return
  }
  for (const { key } of bundle.tree.entries()) if (wanted?.has(key) ?? true) yield key
}

/** Whether a message is a translation: there is something to be old. */
function isFilled(message: Message): boolean {
  const parts = typeof message === 'string' ? { text: message } : message
  return linesOf({ text: undefined, cardinal: undefined, ordinal: undefined, ...parts }).every(
    ([, text]) => text !== '',
  )
}

const asJson = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
