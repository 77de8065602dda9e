/**
 * What a change makes of the notes of a namespace (`stale.ts`), by bytes alone, for the worker: first what the source
 * says otherwise now, then for each language which translations are older, then the file.
 *
 * A translation is made of the source message that stood there when it was written. One that an earlier state brings
 * back is made of what it was made of then. It is stale where the source now says something else.
 */
import { type KeyChange, sameMessage } from '../bundle/diff.ts'
import { findMessage } from '../bundle/find.ts'
import { linesOf, type Message, partsOf } from '../bundle/message.ts'
import type { Bundle } from '../bundle/resource.ts'
import { NO_NOTES, parseStale, renderStale, type StaleNote, type StaleNotes, sourceThen } from './stale.ts'
import { bundleIn, compare, resourceIn, type VersionBytes } from './versions.ts'

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
export interface Target {
  language: string
  /** Its bundle; `before` is undefined when the change left it alone. */
  before: Uint8Array | null | undefined
  after: Uint8Array | null
  origin: OriginBytes | null
}

/** Some languages of a namespace in a change. */
export interface StaleTask {
  targets: Target[]
  /** The notes before. */
  notes: Uint8Array | null
  /** What {@link sourceChanges} found, null when the source stayed. */
  changes: Uint8Array | null
  renamed: Renaming | null
}

/** A language's stale translations: keys, and what each was made of. */
type Stale = [language: string, keys: [key: string, source: Message][]]

/** The keys in which the source differs, as JSON: objects are slow to hand over between threads. */
export function sourceChanges(versions: VersionBytes): Uint8Array {
  return asJson(compare(versions))
}

/** The stale translations of languages after a change, as JSON. */
export function staleIn({ targets, notes, changes, renamed }: StaleTask): Uint8Array {
  const before = parseStale(notes)
  const changed = new Map<string, KeyChange>()
  for (const change of changes === null ? [] : fromJson<KeyChange[]>(changes)) changed.set(change.key, change)
  const read = new ReadOnce()
  const past = ({ language, origin }: Target) => origin && new Past(language, origin, read)
  return asJson(
    targets.map((target): Stale => [target.language, staleOf(target, before, changed, renamed, past(target))]),
  )
}

function staleOf(
  { language, before, after }: Target,
  notes: StaleNotes,
  changed: ReadonlyMap<string, KeyChange>,
  renamed: Renaming | null,
  past: Past | null,
): Stale[1] {
  const nameThen = (key: string) => (key === renamed?.to ? renamed.from : key)
  const nameNow = (key: string) => (key === renamed?.from ? renamed.to : key)
  const noted: Stale[1] = []
  for (const [key] of notes) {
    const source = sourceThen(notes, key, language)
    if (source !== undefined) noted.push([nameNow(key), source])
  }
  /** What a translation was made of before the change; null when the source had nothing there. */
  const madeOf = (key: string): Message | null => sourceThen(notes, key, language) ?? changed.get(key)?.before ?? null
  const isAlone = before === undefined && past === null
  // Where neither source nor translation changed, a note stays.
  const stale = isAlone ? noted.filter(([key]) => !changed.has(key)) : []
  const candidates = new Set(isAlone ? changed.keys() : [...changed.keys(), ...noted.map(([key]) => key)])
  if (candidates.size === 0 && past === null) return stale

  const wanted = past === null ? candidates.size : Infinity
  const now = new Texts(after, wanted)
  const then = before === undefined ? now : new Texts(before, wanted)
  for (const key of past === null ? candidates : now.keys()) {
    if (isAlone) {
      // What the notes tell of a translation that nobody touched stands: that it is filled, and what it was made of.
      const source = madeOf(nameThen(key))
      const isNoted = renamed === null && sourceThen(notes, key, language) !== undefined
      const isMadeOf = sameMessage(source, changed.get(key)!.after)
      if (source !== null && isNoted && !isMadeOf) stale.push([key, source])
      if (source === null || isNoted || isMadeOf) continue
    }
    const message = now.message(key)
    if (message === null || !isFilled(message)) continue
    const stays = sameMessage(then.message(nameThen(key)), message)
    if (past?.covers(key, message, stays, madeOf)) {
      const source = past.madeOf(key)
      if (source !== null && !sameMessage(source, past.present(key))) stale.push([key, source])
    } else if (stays) {
      const source = madeOf(nameThen(key))
      const change = changed.get(key)
      // Without a change of the source there, a note stays true.
      if (source !== null && (change === undefined || !sameMessage(source, change.after))) stale.push([key, source])
    }
  }
  return stale
}

/** The new file of notes, null for none. */
export function notesFile(task: {
  notes: Uint8Array | null
  /** What {@link staleIn} found; the notes of other languages stay. */
  found: Uint8Array[]
}): Uint8Array | null {
  const before = parseStale(task.notes)
  const found = task.found.flatMap(stale => fromJson<Stale[]>(stale))
  const looked = new Set(found.map(([language]) => language))
  const notes = new Notes()
  for (const [key, list] of before) {
    for (const { source, languages } of list) {
      for (const language of languages) if (!looked.has(language)) notes.add(key, source, language)
    }
  }
  for (const [language, keys] of found) {
    for (const [key, source] of keys) notes.add(key, source, language)
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

/** So few keys are found one by one; for more the file is read. */
const FEW = 32

/** A bundle's messages by key, read when they are asked for, as far as is worth it. */
class Texts {
  readonly #bytes: Uint8Array | null
  readonly #isFew: boolean
  #bundle: Bundle | undefined
  #resource: object | undefined

  /** @param wanted how many keys will be asked for */
  constructor(bytes: Uint8Array | null, wanted: number) {
    this.#bytes = bytes
    this.#isFew = bytes !== null && wanted <= FEW
  }

  keys(): string[] {
    return this.#whole.tree.entries().map(({ key }) => key)
  }

  message(key: string): Message | null {
    if (!this.#isFew) return this.#whole.message(key) ?? null
    this.#resource ??= resourceIn(this.#bytes!)
    return findMessage(this.#resource, key) ?? null
  }

  get #whole(): Bundle {
    this.#bundle ??= bundleIn(this.#bytes)
    return this.#bundle
  }
}

/** Whether a message is a translation: there is something to be old. */
const isFilled = (message: Message): boolean => linesOf(partsOf(message)).every(([, text]) => text !== '')

const asJson = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

const fromJson = <T>(bytes: Uint8Array): T => JSON.parse(Buffer.from(bytes).toString('utf8'))
