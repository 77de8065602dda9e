/** Keeps the notes of stale translations right in the commit that makes them stale, or no longer: see `stale.ts`. */

import { asBuffer } from '../bundle/made-file.ts'
import type { Steps } from '../scheduling/steps.ts'
import { namesThatDiffer } from './changed-files.ts'
import { hasBundle, idOf, projectIn } from './layout.ts'
import { localesPath, namespaceOf, ownFile, type Project, projectPath } from './project.ts'
import { staleFolder, stalePath } from './stale.ts'
import {
  type Change,
  type ComputeSteps,
  type Concern,
  type Hints,
  NamespaceSteps,
  type Origin,
  type Step,
} from './stale-steps.ts'
import { saysNothing } from './staleness.ts'
import type { State } from './state.ts'

/** Files looked at between two pauses. */
const STEP = 64

/** Finds the namespaces whose notes a change may concern: mostly none, which costs a look at a few trees. */
function* concernsOf(change: Change, hints: Hints): Steps<Concern[]> {
  const touched = new Map<string, { namespaces: Map<string, Set<string>>; project: boolean }>()
  const touch = (slug: string) => {
    const of = touched.get(slug) ?? { namespaces: new Map<string, Set<string>>(), project: false }
    touched.set(slug, of)
    return of
  }
  for (const [at, path] of change.changed().entries()) {
    if (at % STEP === STEP - 1) yield
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
): Steps<Concern[]> {
  const { before } = change
  const now = projectIn(change, slug)
  // A file that cannot be read is for a person to mend; the notes wait.
  if (now === undefined && change.entry(projectPath(slug)) !== undefined) return []
  const then = projectChanged ? projectIn(before, slug) : now
  const anew = then !== undefined && now !== undefined && then.sourceLanguage !== now.sourceLanguage
  const all =
    now === undefined || anew ? new Set([...touched.keys(), ...notedNamespaces(before, slug)]) : touched.keys()
  const concerns: Concern[] = []
  // A person's file of that name: git cannot hold both.
  if (change.entry(staleFolder(slug))?.kind === 'blob') return []
  for (const namespace of all) {
    const languages = touched.get(namespace) ?? new Set<string>()
    const hasNotes = before.entry(stalePath(slug, namespace)) !== undefined
    if (now === undefined) {
      if (hasNotes)
        concerns.push({
          slug,
          namespace,
          source: '',
          sourceChanged: false,
          anew: true,
          targets: [],
          touched: languages,
          hints,
        })
      continue
    }
    const source = now.sourceLanguage
    const sourceChanged = languages.has(source)
    const fromThen = hints.origin?.part.slug === slug && (hints.origin.part.namespace ?? namespace) === namespace
    const hadSource = sourceChanged && idOf(before, { slug, language: source, namespace }) !== null
    if (!hasNotes && !hadSource && !fromThen) continue
    const targets =
      sourceChanged || fromThen || anew ? yield* languagesWith(before, now, namespace, languages) : [...languages]
    const others = targets.filter(language => language !== source)
    if (others.length === 0 && !anew) continue
    concerns.push({
      slug,
      namespace,
      source,
      sourceChanged,
      anew,
      targets: others,
      touched: languages,
      hints: fromThen ? hints : { ...hints, origin: undefined },
    })
  }
  return concerns
}

/** Writes the notes of a change into it. @throws as `compute` does */
export function* followSource(change: Change, hints: Hints, compute: ComputeSteps): Steps<void> {
  if (hints.isFollowed) return
  const namespaces = (yield* concernsOf(change, hints)).map(concern => new NamespaceSteps(change, concern))
  if (namespaces.length === 0) return
  // All of a kind together: what must be computed elsewhere first interrupts the change.
  const changed = namespaces.filter(({ sourceChanged }) => sourceChanged)
  for (const [at, found] of compute(changed.map(of => of.sourceStep())).entries()) changed[at]!.found = found
  const looks: Step<'staleIn'>[] = []
  for (const of of namespaces) {
    for (const step of of.staleSteps()) {
      looks.push(step)
      yield
    }
  }
  const found = compute(looks)
  const told = namespaces.filter(({ isTold }) => isTold).map(of => ({ of, found: found.splice(0, of.looks) }))
  const changing = told.filter(({ of, found }) => of.isAnew || !found.every(saysNothing))
  const files = compute(changing.map(({ of, found }) => of.notesStep(found)))
  for (const [at, { of }] of changing.entries()) {
    const file = files[at]!
    if (file === null) change.remove(of.path)
    else change.put(of.path, asBuffer(file))
    yield
  }
  for (const of of namespaces) if (!of.isTold) change.remove(of.path)
}

/** The languages with a namespace's bundle before or after a change, which says where it changed that. */
function* languagesWith(
  before: State,
  { slug }: Project,
  namespace: string,
  changed: ReadonlySet<string>,
): Steps<string[]> {
  const languages = new Set(changed)
  // Not of the state after: that one's trees would be made for it, and again with the notes.
  for (const [at, { name: language }] of before.list(localesPath(slug)).entries()) {
    if (at % STEP === STEP - 1) yield
    if (hasBundle(before, { slug, language, namespace })) languages.add(language)
  }
  return [...languages].sort()
}

/** The namespaces of a part whose notes are others than they were. */
function notesThatDiffer(now: State, { state, part }: Origin): string[] {
  const names = namesThatDiffer(state, now, staleFolder(part.slug)).flatMap(name => namespaceOf(name) ?? [])
  return names.filter(name => (part.namespace ?? name) === name)
}

function notedNamespaces(state: State, slug: string): string[] {
  return state.list(staleFolder(slug)).flatMap(({ name }) => namespaceOf(name) ?? [])
}
