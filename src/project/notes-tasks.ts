/** The tasks that find the stale notes of a namespace after a change, from the change's states to bytes. */
import type { ProjectPart } from './changed-files.ts'
import type { KeyRenaming } from './follow-key.ts'
import { idOf } from './layout.ts'
import { reading, type TaskReads } from './precompute.ts'
import { type BundleName, bundlePath } from './project.ts'
import { stalePath } from './stale.ts'
import type {
  notesFile,
  OriginBytes,
  SourceFound,
  SourceTask,
  StaleTarget,
  StaleTask,
  sourceChanges,
  staleIn,
} from './staleness.ts'
import type { State } from './state.ts'

/** The earlier state of the texts that a change brings back. */
export interface TextsOrigin {
  state: State
  part: ProjectPart
  /** The only key; of a form, its key. */
  key?: string | undefined
  /** The state that the undone commit left; `state` is its parent then. */
  until?: State
}

/** What the files of a change do not say about it. */
export interface NotesHints {
  /** A key that was renamed in all languages, and its namespace. */
  renamed?: KeyRenaming & Omit<BundleName, 'language'>
  origin?: TextsOrigin
  /**
   * The only changed bundle and its changed keys as JSON (`KeyChange[]`), where they are known. They save reading the
   * whole source twice.
   */
  changes?: { bundle: BundleName; keys: Uint8Array } | undefined
  /** Whether the change's files have the notes already. */
  hasNotes?: boolean
  /** Whether a changed translation stays as stale as it was: its author did not see the source. */
  keepsStale?: boolean
}

/** The state after a change, and what it changed. */
export interface ChangedState extends State {
  readonly before: State
  /** The paths of the files put or removed. */
  changed(): string[]
  put(path: string, bytes: Buffer): void
  remove(path: string): void
}

interface NotesFunctions {
  sourceChanges: typeof sourceChanges
  staleIn: typeof staleIn
  notesFile: typeof notesFile
}

/** A pure task: equal names, bundles, ids and variants give equal answers. */
export interface NotesTask<N extends keyof NotesFunctions = keyof NotesFunctions> {
  name: N
  /** The bundle of the source language, and its blob id before the change. */
  bundle: BundleName
  id: string | null
  /** The ids of all else that the task depends on. */
  variant: string
  read: () => TaskReads<Parameters<NotesFunctions[N]>[0]>
}

/** Computes tasks. @throws NeedsPrecomputing when they have to be computed before the change */
export type ComputeNotes = <N extends keyof NotesFunctions>(tasks: NotesTask<N>[]) => ReturnType<NotesFunctions[N]>[]

/** A namespace with notes that a change may concern. */
export interface NotesConcern {
  slug: string
  namespace: string
  /** The source language. */
  source: string
  /** Whether the changed keys of the source are needed. */
  sourceChanged: boolean
  /** Whether the project has another source language now, for which no earlier note counts. */
  isReset: boolean
  /** The languages to look at, and those of them with changed bundles. */
  targets: string[]
  touched: ReadonlySet<string>
  hints: NotesHints
}

/** A language's bundle to look at: its file, and its blob ids. */
interface TargetBundle {
  bundle: BundleName
  path: string
  then: string | null
  now: string | null
  origin: TextsOrigin | undefined
  /** Whether its translations have to be read. */
  reads: boolean
}

/** Maximum of bytes of translations, and of languages, in one task. */
const GROUP = { bytes: 64 * 1024, languages: 16 }

/** The tasks for one namespace. */
export class NamespaceNotes {
  /** The file of notes. */
  readonly path: string
  readonly concern: NotesConcern
  /** The answer to {@link sourceTask}. */
  found: SourceFound | undefined
  readonly #change: ChangedState
  readonly #source: BundleName
  readonly #renamed: KeyRenaming | null
  readonly #notes: Uint8Array | null
  /** The ids of the source's bundle before and after, and of the notes. */
  readonly #ids: { before: string | null; after: string | null; notes: string | null }
  readonly #variants: string[] = []

  constructor(change: ChangedState, concern: NotesConcern) {
    const { slug, namespace, source, isReset, hints } = concern
    const { before } = change
    this.path = stalePath(slug, namespace)
    this.concern = concern
    this.#change = change
    this.#source = { slug, language: source, namespace }
    const { renamed } = hints
    const isHere = renamed?.slug === slug && renamed.namespace === namespace
    this.#renamed = isHere ? { from: renamed.from, to: renamed.to } : null
    this.#notes = isReset ? null : (before.read(this.path) ?? null)
    const notes = isReset ? null : (before.entry(this.path)?.id ?? null)
    this.#ids = { before: idOf(before, this.#source), after: idOf(change, this.#source), notes }
  }

  sourceTask(): NotesTask<'sourceChanges'> {
    const [change, source, notes] = [this.#change, this.#source, this.#notes]
    const { hints, targets: languages } = this.concern
    const keys = hints.changes?.keys
    function* read(): TaskReads<SourceTask> {
      return {
        notes: yield* reading(notes),
        keys: (yield* reading(keys)) ?? undefined,
        before: keys ? null : yield* readBundle(change.before, source),
        after: keys ? null : yield* readBundle(change, source),
        languages,
      }
    }
    return this.#task('sourceChanges', `${this.#ids.after} ${this.#ids.notes} ${languages.join()}`, read)
  }

  /** Each for some languages that may change; needs {@link found}. */
  *staleTasks(): Iterable<NotesTask<'staleIn'>> {
    let group: TargetBundle[] = []
    let bytes = 0
    for (const language of this.concern.targets) {
      const target = this.#targetIn(language)
      if (target === undefined) continue
      group.push(target)
      bytes += target.reads ? (this.#after(language).read(target.path)?.length ?? 0) : 0
      if (bytes < GROUP.bytes && group.length < GROUP.languages) continue
      yield this.#staleTask(group)
      group = []
      bytes = 0
    }
    if (group.length > 0) yield this.#staleTask(group)
  }

  /** The number of {@link staleTasks}. */
  get staleCount(): number {
    return this.#variants.length
  }

  /** @param found the answers to {@link staleTasks} */
  notesTask(found: Uint8Array[]): NotesTask<'notesFile'> {
    const notes = this.#notes
    return this.#task('notesFile', JSON.stringify(this.#variants), function* () {
      yield* found
      return { notes: yield* reading(notes), found }
    })
  }

  #targetIn(language: string): TargetBundle | undefined {
    const { isReset, hints, touched } = this.concern
    const origin = hints.origin && (hints.origin.part.language ?? language) === language ? hints.origin : undefined
    const isTouched = isReset || touched.has(language)
    const reads = isTouched || origin !== undefined || this.#renamed !== null || this.found?.reads.includes(language)
    if (!reads && !this.found?.ends.includes(language)) return undefined
    const bundle = { ...this.#source, language }
    const then = isReset ? null : idOf(this.#change.before, bundle)
    const now = isTouched ? idOf(this.#change, bundle) : then
    return { bundle, path: bundlePath(bundle), then, now, origin, reads: reads === true }
  }

  #staleTask(group: TargetBundle[]): NotesTask<'staleIn'> {
    const { isReset, source, hints } = this.concern
    const change = this.#change
    const [renamed, keepsStale, notes] = [this.#renamed, hints.keepsStale === true, this.#notes]
    const changes = this.found?.changes ?? null
    const after = (language: string) => this.#after(language)
    function* readTarget(
      { bundle, path, then, now, origin, reads }: TargetBundle,
      present: Uint8Array | null,
    ): TaskReads<StaleTarget> {
      const { language } = bundle
      const past = then === now ? undefined : isReset ? null : yield* reading(change.before.read(path))
      const text = reads ? yield* reading(after(language).read(path)) : null
      const from = origin ? yield* readOrigin(origin, bundle, source, present) : null
      return { language, before: past, after: text, origin: from }
    }
    function* read(): TaskReads<StaleTask> {
      yield* reading(notes)
      yield* reading(changes)
      const isBack = group.some(({ origin }) => origin)
      const present = isBack ? yield* readBundle(change, { ...group[0]!.bundle, language: source }) : null
      const targets: StaleTarget[] = []
      for (const target of group) targets.push(yield* readTarget(target, present))
      return { targets, notes, changes, renamed, keepsStale }
    }
    const ids = group.map(({ bundle, then, now, origin }) => {
      return [bundle.language, then, now, origin && originIds(origin, bundle, source)]
    })
    const variant = JSON.stringify([this.#ids.after, this.#ids.notes, ids, renamed, keepsStale])
    this.#variants.push(variant)
    return this.#task('staleIn', variant, read)
  }

  /** The state of a language's bundle after the change. The state before it is faster where the bundle stayed. */
  #after(language: string): State {
    return this.concern.touched.has(language) ? this.#change : this.#change.before
  }

  #task<N extends keyof NotesFunctions>(name: N, variant: string, read: NotesTask<N>['read']): NotesTask<N> {
    return { name, bundle: this.#source, id: this.#ids.before, variant, read }
  }
}

function* readOrigin(
  { state, key, until }: TextsOrigin,
  target: BundleName,
  source: string,
  present: Uint8Array | null,
): TaskReads<OriginBytes> {
  const { slug, namespace } = target
  const readSource = function* (of: State) {
    return {
      source: yield* readBundle(of, { ...target, language: source }),
      notes: yield* reading(of.read(stalePath(slug, namespace))),
    }
  }
  return {
    target: yield* readBundle(state, target),
    ...(yield* readSource(state)),
    key: key ?? null,
    present,
    until: until ? yield* readSource(until) : null,
  }
}

function originIds({ state, key, until }: TextsOrigin, target: BundleName, source: string): unknown[] {
  const idsIn = (of: State) => [
    idOf(of, { ...target, language: source }),
    of.entry(stalePath(target.slug, target.namespace))?.id ?? null,
  ]
  return [idOf(state, target), idsIn(state), key ?? null, until ? idsIn(until) : null]
}

const readBundle = (state: State, bundle: BundleName) => reading(state.read(bundlePath(bundle)))
