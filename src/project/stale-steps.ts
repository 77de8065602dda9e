/** What has to be computed for the notes of a namespace when a change concerns them: from a change's states to bytes. */
import type { Part } from './changed-files.ts'
import { idOf } from './layout.ts'
import { type BundleName, bundlePath } from './project.ts'
import { stalePath } from './stale.ts'
import type { notesFile, OriginBytes, Renaming, StaleTask, sourceChanges, staleIn, Target } from './staleness.ts'
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
  /** The notes are among the change's files already. */
  isFollowed?: boolean
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
  /** Bytes to read. */
  size: () => number
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
  /** The languages to look at. */
  targets: string[]
  hints: Hints
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
  /** What {@link sourceStep} came to. */
  changes: Uint8Array | null = null
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
    this.isTold = !anew || (targets.length > 0 && hints.origin !== undefined)
    this.#change = change
    this.#concern = concern
    this.#source = { slug, language: source, namespace }
    this.#notes = anew ? null : (before.read(this.path) ?? null)
    const notes = anew ? null : (before.entry(this.path)?.id ?? null)
    this.#ids = { before: idOf(before, this.#source), after: idOf(change, this.#source), notes }
  }

  sourceStep(): Step<'sourceChanges'> {
    const versions = {
      before: bytesOf(this.#change.before, this.#source),
      after: bytesOf(this.#change, this.#source),
    }
    const size = () => (versions.before?.length ?? 0) + (versions.after?.length ?? 0)
    return this.#step('sourceChanges', { variant: `${this.#ids.after}`, size, task: () => versions })
  }

  /** For some languages each; {@link changes} must be there. */
  *staleSteps(): Iterable<Step<'staleIn'>> {
    if (!this.isTold) return
    let group: string[] = []
    let bytes = 0
    for (const language of this.#concern.targets) {
      group.push(language)
      bytes += this.#change.read(bundlePath({ ...this.#source, language }))?.length ?? 0
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
    const size = () => (notes?.length ?? 0) + found.reduce((sum, stale) => sum + stale.length, 0)
    const variant = JSON.stringify(this.#variants)
    return this.#step('notesFile', { variant, size, task: () => ({ notes, found }) })
  }

  #staleStep(languages: string[]): Step<'staleIn'> {
    const { anew, hints, source, slug, namespace } = this.#concern
    const change = this.#change
    const { before } = change
    const renamed = hints.renamed?.slug === slug && hints.renamed.namespace === namespace ? hints.renamed : null
    const renaming = renamed && { from: renamed.from, to: renamed.to }
    const targets = languages.map(language => {
      const bundle = { slug, language, namespace }
      const origin = hints.origin && taken(hints.origin, bundle) ? hints.origin : undefined
      const ids = [anew ? null : idOf(before, bundle), idOf(change, bundle)]
      return { bundle, origin, ids, past: origin && originIds(origin, bundle, source) }
    })
    const target = ({ bundle, origin, ids }: (typeof targets)[number]): Target => ({
      language: bundle.language,
      before: ids[0] === ids[1] ? undefined : anew ? null : bytesOf(before, bundle),
      after: bytesOf(change, bundle),
      origin: origin ? originBytes(origin, bundle, source, bytesOf(change, this.#source)) : null,
    })
    const task = (): StaleTask => ({
      targets: targets.map(target),
      notes: this.#notes,
      changes: this.changes,
      renamed: renaming,
    })
    const size = () => targets.reduce((sum, { bundle }) => sum + (bytesOf(change, bundle)?.length ?? 0), 0)
    const known = targets.map(({ bundle, ids, past }) => [bundle.language, ...ids, past])
    const variant = JSON.stringify([this.#ids.after, this.#ids.notes, known, renaming])
    this.#variants.push(variant)
    return this.#step('staleIn', { variant, size, task })
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

function originIds({ state, key, until }: Origin, target: BundleName, source: string): unknown[] {
  const of = (state: State) => [
    idOf(state, { ...target, language: source }),
    state.entry(stalePath(target.slug, target.namespace))?.id ?? null,
  ]
  return [idOf(state, target), of(state), key ?? null, until ? of(until) : null]
}

const bytesOf = (state: State, bundle: BundleName): Uint8Array | null => state.read(bundlePath(bundle)) ?? null
