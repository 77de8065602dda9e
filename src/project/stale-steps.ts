/** What has to be computed for the notes of a namespace when a change concerns them: from a change's states to bytes. */
import type { Part } from './changed-files.ts'
import { idOf } from './layout.ts'
import { type BundleName, bundlePath } from './project.ts'
import { stalePath } from './stale.ts'
import type {
  notesFile,
  OriginBytes,
  Renaming,
  SourceFound,
  StaleTask,
  sourceChanges,
  staleIn,
  Target,
} from './staleness.ts'
import type { State } from './state.ts'

/** The state from which a change takes texts back. */
export interface Origin {
  state: State
  /** What is taken from there. */
  part: Part
  /** The only key; a form's name is its key's. */
  key?: string | undefined
  /** What a commit left that is undone now: `state` is the one before it. */
  until?: State
}

/** What the files of a change do not tell. */
export interface Hints {
  /** The namespace in which a key was renamed in all languages. */
  renamed?: Renaming & Omit<BundleName, 'language'>
  origin?: Origin
  /**
   * The only bundle that changed, and its changed keys as JSON (`KeyChange[]`), where they are known: finding them reads
   * all of the source twice.
   */
  changes?: { bundle: BundleName; keys: Uint8Array } | undefined
  /** The notes are among the change's files already. */
  isFollowed?: boolean
  /** A changed translation stays as stale as it was: it was changed without a look at its source. */
  keepsStale?: boolean
}

/** A change: its files before and, readable at once, after. */
export interface Change extends State {
  readonly before: State
  /** The paths of the files put or removed. */
  changed(): string[]
  put(path: string, bytes: Buffer): unknown
  remove(path: string): void
}

/** Something to compute, which depends on nothing but what its name says. */
export interface Step<N extends keyof StaleTasks = keyof StaleTasks> {
  name: N
  /** The source's bundle, and its blob id before the change: what is computed ahead holds as long as that stands. */
  bundle: BundleName
  id: string | null
  /** The ids of all else that it depends on. */
  variant: string
  /** What there is to read, each as it is asked for. */
  inputs: () => Iterable<Uint8Array>
  task: () => Parameters<StaleTasks[N]>[0]
}

export interface StaleTasks {
  sourceChanges: typeof sourceChanges
  staleIn: typeof staleIn
  notesFile: typeof notesFile
}

/** Computes steps; throws when they have to be computed elsewhere first. */
export type ComputeSteps = <N extends keyof StaleTasks>(steps: Step<N>[]) => ReturnType<StaleTasks[N]>[]

/** A namespace whose notes a change may concern. */
export interface Concern {
  slug: string
  namespace: string
  source: string
  /** Whether the source's bundle changed. */
  sourceChanged: boolean
  /** Whether the project has another source language now: nobody knows what translations were made of. */
  anew: boolean
  /** The languages to look at, and those of them whose bundles changed. */
  targets: string[]
  touched: ReadonlySet<string>
  hints: Hints
}

/** A language's bundle to look at. */
interface Look {
  bundle: BundleName
  path: string
  origin: Origin | undefined
  /** Whether its translations have to be read. */
  reads: boolean
}

/** Bytes of translations that are looked at in one step, and languages. */
const GROUP = { bytes: 64 * 1024, languages: 16 }

/** The steps for one namespace. */
export class NamespaceSteps {
  /** The file of notes. */
  readonly path: string
  /** Whether the keys in which the source differs are needed. */
  readonly sourceChanged: boolean
  /** Whether anything is known of what translations were made of. */
  readonly isTold: boolean
  /** Whether the notes before are none any more. */
  readonly isAnew: boolean
  /** The answer to {@link sourceStep}. */
  found: SourceFound | undefined
  readonly #change: Change
  readonly #concern: Concern
  readonly #source: BundleName
  readonly #notes: Uint8Array | null
  /** The ids of the source's bundle before and after, and of the notes. */
  readonly #ids: { before: string | null; after: string | null; notes: string | null }
  readonly #variants: string[] = []

  constructor(change: Change, concern: Concern) {
    const { slug, namespace, source, anew, targets, hints } = concern
    const { before } = change
    this.path = stalePath(slug, namespace)
    this.sourceChanged = concern.sourceChanged && !anew
    this.isAnew = anew
    this.isTold = !anew || (targets.length > 0 && hints.origin !== undefined)
    this.#change = change
    this.#concern = concern
    this.#source = { slug, language: source, namespace }
    this.#notes = anew ? null : (before.read(this.path) ?? null)
    const notes = anew ? null : (before.entry(this.path)?.id ?? null)
    this.#ids = { before: idOf(before, this.#source), after: idOf(change, this.#source), notes }
  }

  sourceStep(): Step<'sourceChanges'> {
    const keys = this.#concern.hints.changes?.keys
    const before = () => (keys ? null : bytesOf(this.#change.before, this.#source))
    const after = () => (keys ? null : bytesOf(this.#change, this.#source))
    const languages = this.#concern.targets
    const task = () => ({ before: before(), after: after(), notes: this.#notes, keys, languages })
    const inputs = () =>
      readEach(
        () => this.#notes,
        () => keys,
        before,
        after,
      )
    const variant = `${this.#ids.after} ${this.#ids.notes} ${languages.join()}`
    return this.#step('sourceChanges', { variant, inputs, task })
  }

  /** For some languages each, of which there may be something to say; {@link found} must be there. */
  *staleSteps(): Iterable<Step<'staleIn'>> {
    if (!this.isTold) return
    const reads = new Set(this.found?.reads)
    const ends = new Set(this.found?.ends)
    let group: Look[] = []
    let bytes = 0
    for (const language of this.#concern.targets) {
      const look = this.#lookAt(language, reads.has(language), ends.has(language))
      if (look === undefined) continue
      group.push(look)
      bytes += look.reads ? (this.#after(language).read(look.path)?.length ?? 0) : 0
      if (bytes < GROUP.bytes && group.length < GROUP.languages) continue
      yield this.#staleStep(group)
      group = []
      bytes = 0
    }
    if (group.length > 0) yield this.#staleStep(group)
  }

  /** How many there were of {@link staleSteps}. */
  get looks(): number {
    return this.#variants.length
  }

  /** @param found what {@link staleSteps} came to */
  notesStep(found: Uint8Array[]): Step<'notesFile'> {
    const notes = this.#notes
    const inputs = () => [...found, ...(notes ? [notes] : [])]
    const variant = JSON.stringify(this.#variants)
    return this.#step('notesFile', { variant, inputs, task: () => ({ notes, found }) })
  }

  #lookAt(language: string, reads: boolean, ends: boolean): Look | undefined {
    const { anew, hints, touched, slug, namespace } = this.#concern
    const bundle = { slug, language, namespace }
    const origin = hints.origin && taken(hints.origin, bundle) ? hints.origin : undefined
    const look = { bundle, path: bundlePath(bundle), origin }
    if (anew || origin || this.#renaming || touched.has(language)) return { ...look, reads: true }
    return reads || ends ? { ...look, reads } : undefined
  }

  #staleStep(looks: Look[]): Step<'staleIn'> {
    const { anew, source, touched } = this.#concern
    const change = this.#change
    const { before } = change
    const renamed = this.#renaming
    const known = looks.map(({ bundle, origin }) => {
      const then = anew ? null : idOf(before, bundle)
      const now = anew || touched.has(bundle.language) ? idOf(change, bundle) : then
      return [bundle.language, then, now, origin && originIds(origin, bundle, source)] as const
    })
    const targets = () =>
      looks.map(({ bundle, path, origin, reads }, at): Target => {
        const [language, then, now] = known[at]!
        return {
          language,
          before: then === now ? undefined : anew ? null : (before.read(path) ?? null),
          after: reads ? (this.#after(language).read(path) ?? null) : null,
          origin: origin ? originBytes(origin, bundle, source, bytesOf(change, this.#source)) : null,
        }
      })
    const keepsStale = this.#concern.hints.keepsStale === true
    const task = (): StaleTask => ({
      targets: targets(),
      notes: this.#notes,
      changes: this.found?.changes ?? null,
      renamed,
      keepsStale,
    })
    const variant = JSON.stringify([this.#ids.after, this.#ids.notes, known, renamed, keepsStale])
    this.#variants.push(variant)
    const [notes, changes, after] = [this.#notes, this.found?.changes, (language: string) => this.#after(language)]
    function* inputs(): Iterable<Uint8Array> {
      yield* readEach(
        () => notes,
        () => changes,
      )
      for (const [at, { bundle, path, origin, reads }] of looks.entries()) {
        const [language, then, now] = known[at]!
        if (then !== now && !anew) yield* readEach(() => before.read(path))
        if (reads) yield* readEach(() => after(language).read(path))
        if (origin) yield* originFiles(origin, bundle, source)
      }
      if (looks.some(({ origin }) => origin))
        yield* readEach(() => bytesOf(change, { ...looks[0]!.bundle, language: source }))
    }
    return this.#step('staleIn', { variant, inputs, task })
  }

  get #renaming(): Renaming | null {
    const { hints, slug, namespace } = this.#concern
    const renamed = hints.renamed
    if (renamed?.slug !== slug || renamed.namespace !== namespace) return null
    return { from: renamed.from, to: renamed.to }
  }

  /** Where a language's bundle is as after the change: the state before is looked into faster. */
  #after(language: string): State {
    return this.#concern.touched.has(language) ? this.#change : this.#change.before
  }

  #step<N extends keyof StaleTasks>(name: N, rest: Omit<Step<N>, 'name' | 'bundle' | 'id'>): Step<N> {
    return { name, bundle: this.#source, id: this.#ids.before, ...rest }
  }
}

/** Whether a bundle is among what is taken back. */
const taken = ({ part }: Origin, { language }: BundleName): boolean => (part.language ?? language) === language

function originBytes(
  { state, key, until }: Origin,
  target: BundleName,
  source: string,
  present: Uint8Array | null,
): OriginBytes {
  const { slug, namespace } = target
  const of = (state: State) => ({
    source: bytesOf(state, { ...target, language: source }),
    notes: state.read(stalePath(slug, namespace)) ?? null,
  })
  return { target: bytesOf(state, target), ...of(state), key: key ?? null, present, until: until ? of(until) : null }
}

/** The files of an earlier state. */
function* originFiles({ state, until }: Origin, target: BundleName, source: string): Iterable<Uint8Array> {
  yield* readEach(() => bytesOf(state, target))
  for (const of of until ? [state, until] : [state]) {
    yield* readEach(
      () => bytesOf(of, { ...target, language: source }),
      () => of.read(stalePath(target.slug, target.namespace)),
    )
  }
}

/** The bytes that there are. */
function* readEach(...reads: (() => Uint8Array | null | undefined)[]): Iterable<Uint8Array> {
  for (const read of reads) {
    const bytes = read()
    if (bytes) yield bytes
  }
}

function originIds({ state, key, until }: Origin, target: BundleName, source: string): unknown[] {
  const of = (state: State) => [
    idOf(state, { ...target, language: source }),
    state.entry(stalePath(target.slug, target.namespace))?.id ?? null,
  ]
  return [idOf(state, target), of(state), key ?? null, until ? of(until) : null]
}

const bytesOf = (state: State, bundle: BundleName): Uint8Array | null => state.read(bundlePath(bundle)) ?? null
