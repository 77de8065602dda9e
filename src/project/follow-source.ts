/** Keeps the notes of stale translations right in the commit that makes them stale, or no longer: see `stale.ts`. */
import { asBuffer } from '../bundle/made-file.ts'
import type { Part } from './changed-files.ts'
import { hasBundle, idOf, projectIn } from './layout.ts'
import { type BundleName, bundlePath, localesPath, namespaceOf, ownFile, type Project, projectPath } from './project.ts'
import { staleFolder, stalePath } from './stale.ts'
import type { notesFile, OriginBytes, Renaming, StaleTask, sourceChanges, staleIn } from './staleness.ts'
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

/** Computes steps; throws, or gives undefined, when they have to be computed elsewhere first. */
export type ComputeSteps = <N extends keyof StaleTasks>(steps: Step<N>[]) => ReturnType<StaleTasks[N]>[] | undefined

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

/** The namespaces whose notes a change may concern; mostly none, which costs a look at a few trees. */
export function concernsOf(change: Change, hints: Hints): Concern[] {
  const steps = findConcerns(change, hints)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Files looked at in one step. */
const STRIDE = 100

/** As {@link concernsOf}, in steps: a change may have thousands of files. */
export function* findConcerns(change: Change, hints: Hints): Generator<undefined, Concern[], undefined> {
  const touched = new Map<string, { namespaces: Map<string, Set<string>>; project: boolean }>()
  const touch = (slug: string) => {
    const of = touched.get(slug) ?? { namespaces: new Map<string, Set<string>>(), project: false }
    touched.set(slug, of)
    return of
  }
  for (const [at, path] of change.changed().entries()) {
    if (at % STRIDE === STRIDE - 1) yield
    const file = ownFile(path)
    if (file?.kind === 'project') touch(file.slug).project = true
    if (file?.kind !== 'bundle') continue
    const { namespaces } = touch(file.slug)
    namespaces.set(file.namespace, (namespaces.get(file.namespace) ?? new Set()).add(file.language))
  }
  const { origin } = hints
  if (origin) {
    const { namespaces } = touch(origin.part.slug)
    for (const namespace of notesThatDiffer(change.before, origin)) {
      if (!namespaces.has(namespace)) namespaces.set(namespace, new Set())
    }
  }
  const concerns: Concern[] = []
  for (const [slug, { namespaces, project }] of touched) {
    concerns.push(...(yield* concernsIn(change, slug, namespaces, project, hints)))
  }
  return concerns
}

function* concernsIn(
  change: Change,
  slug: string,
  touched: Map<string, Set<string>>,
  projectChanged: boolean,
  hints: Hints,
): Generator<undefined, Concern[], undefined> {
  const { before } = change
  const now = projectIn(change, slug)
  // A file that cannot be read is for a person to mend; the notes wait.
  if (now === undefined && change.entry(projectPath(slug)) !== undefined) return []
  const then = projectChanged ? projectIn(before, slug) : now
  const anew = then !== undefined && now !== undefined && then.sourceLanguage !== now.sourceLanguage
  const all =
    now === undefined || anew ? new Set([...touched.keys(), ...notedNamespaces(before, slug)]) : touched.keys()
  const concerns: Concern[] = []
  for (const namespace of all) {
    yield
    const languages = touched.get(namespace) ?? new Set<string>()
    const hasNotes = before.entry(stalePath(slug, namespace)) !== undefined
    if (now === undefined) {
      if (hasNotes) concerns.push({ slug, namespace, source: '', sourceChanged: false, anew: true, targets: [], hints })
      continue
    }
    const source = now.sourceLanguage
    const sourceChanged = languages.has(source)
    const fromThen = hints.origin?.part.slug === slug && (hints.origin.part.namespace ?? namespace) === namespace
    const hadSource = sourceChanged && idOf(before, { slug, language: source, namespace }) !== null
    if (!hasNotes && !hadSource && !fromThen) continue
    const targets =
      sourceChanged || fromThen || anew ? languagesWith(change, now, namespace, languages) : [...languages]
    const others = targets.filter(language => language !== source)
    if (others.length === 0 && !anew) continue
    concerns.push({
      slug,
      namespace,
      source,
      sourceChanged,
      anew,
      targets: others,
      hints: fromThen ? hints : { ...hints, origin: undefined },
    })
  }
  return concerns
}

/**
 * Writes the notes of a change into it. Where `compute` gives undefined for some namespaces, they are asked for all,
 * so that everything missing is known at once.
 * @throws as `compute` does
 */
export function* followSource(
  change: Change,
  concerns: Concern[],
  compute: ComputeSteps,
): Generator<undefined, void, undefined> {
  for (const concern of concerns) {
    const path = stalePath(concern.slug, concern.namespace)
    // A person's file of that name: git cannot hold both.
    if (change.entry(staleFolder(concern.slug))?.kind === 'blob') continue
    const file = yield* notesOf(change, concern, compute)
    if (file === null) change.remove(path)
    else if (file !== undefined) change.put(path, asBuffer(file))
    yield
  }
}

/** The file of notes, null for none; undefined while something is still to be computed. */
function* notesOf(change: Change, concern: Concern, compute: ComputeSteps) {
  const { slug, namespace, source, sourceChanged, anew, targets, hints } = concern
  const { before } = change
  const path = stalePath(slug, namespace)
  const bundle = { slug, language: source, namespace }
  const id = idOf(before, bundle)
  const notes = anew ? null : (before.read(path) ?? null)
  const notesId = anew ? null : (before.entry(path)?.id ?? null)
  // Nobody can tell what they were made of.
  if (anew && (targets.length === 0 || hints.origin === undefined)) return null
  const step = { bundle, id }

  let changes: Uint8Array | null = null
  const after = idOf(change, bundle)
  if (sourceChanged && !anew) {
    const versions = { before: bytesOf(before, bundle), after: bytesOf(change, bundle) }
    const size = () => (versions.before?.length ?? 0) + (versions.after?.length ?? 0)
    const made = compute([{ ...step, name: 'sourceChanges', variant: `${after}`, size, task: () => versions }])
    if (made === undefined) return undefined
    changes = made[0]!
  }
  const renamed = hints.renamed?.slug === slug && hints.renamed.namespace === namespace ? hints.renamed : null
  const renaming = renamed && { from: renamed.from, to: renamed.to }
  const steps: Step<'staleIn'>[] = []
  for (const languages of groupsOf(
    targets,
    language => change.read(bundlePath({ slug, language, namespace }))?.length ?? 0,
  )) {
    const bundles = languages.map(language => ({ slug, language, namespace }))
    const origins = bundles.map(target => (hints.origin && taken(hints.origin, target) ? hints.origin : undefined))
    const ids = bundles.map((target, at) => {
      const origin = origins[at]
      const [then, now] = [anew ? null : idOf(before, target), idOf(change, target)]
      return [target.language, then, now, origin && originIds(origin, target, source)] as const
    })
    const task = (): StaleTask => ({
      targets: bundles.map((target, at) => {
        const [language, then, now] = ids[at]!
        const origin = origins[at]
        return {
          language,
          before: then === now ? undefined : anew ? null : bytesOf(before, target),
          after: bytesOf(change, target),
          origin: origin ? originBytes(origin, target, source, bytesOf(change, bundle)) : null,
        }
      }),
      notes,
      changes,
      renamed: renaming,
    })
    const size = () => bundles.reduce((sum, target) => sum + (bytesOf(change, target)?.length ?? 0), 0)
    const variant = JSON.stringify([after, notesId, ids, renaming])
    steps.push({ ...step, name: 'staleIn', variant, size, task })
    yield
  }
  const found = compute(steps)
  if (found === undefined) return undefined
  const size = () => (notes?.length ?? 0) + found.reduce((sum, stale) => sum + stale.length, 0)
  const variant = JSON.stringify(steps.map(({ variant }) => variant))
  return compute([{ ...step, name: 'notesFile', variant, size, task: () => ({ notes, found }) }])?.[0]
}

/** Bytes of translations that are looked at in one step. */
const GROUP = 64 * 1024

/** Languages in groups of about that size: what is the same for all is read once for each. */
function* groupsOf(languages: string[], sizeOf: (language: string) => number): Iterable<string[]> {
  let group: string[] = []
  let bytes = 0
  for (const language of languages) {
    group.push(language)
    bytes += sizeOf(language)
    if (bytes < GROUP) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
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

/** The languages with a namespace's bundle, and those that had one changed. */
function languagesWith(state: State, { slug }: Project, namespace: string, changed: ReadonlySet<string>): string[] {
  const languages = state.list(localesPath(slug)).map(({ name }) => name)
  return languages
    .filter(language => hasBundle(state, { slug, language, namespace }))
    .concat([...changed].filter(language => !hasBundle(state, { slug, language, namespace })))
}

/** The namespaces of a part whose notes are others than they were. */
function notesThatDiffer(now: State, { state, part }: Origin): string[] {
  const [before, after] = [state, now].map(
    of => new Map(of.list(staleFolder(part.slug)).map(({ name, id }) => [name, id])),
  ) as [Map<string, string>, Map<string, string>]
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(name => before.get(name) !== after.get(name))
  return names.map(namespaceOf).filter(name => name !== undefined && (part.namespace ?? name) === name) as string[]
}

function notedNamespaces(state: State, slug: string): string[] {
  return state.list(staleFolder(slug)).flatMap(({ name }) => namespaceOf(name) ?? [])
}

const bytesOf = (state: State, bundle: BundleName): Uint8Array | null => state.read(bundlePath(bundle)) ?? null
