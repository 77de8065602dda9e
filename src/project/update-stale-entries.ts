/** Updates the entries of stale translations in the commit that changes them, see `stale.ts`. */
import { asBuffer } from '../bundle/file-change.ts'
import { inSteps, type Steps } from '../scheduling/steps.ts'
import { namesThatDiffer } from './changed-files.ts'
import { idOf, languagesByNamespace, projectIn } from './layout.ts'
import { namespaceOf, ownFile, projectPath } from './project.ts'
import { staleFiles, staleFolder, stalePath } from './stale.ts'
import {
  type ChangedState,
  type ChangeHints,
  type ComputeSidecars,
  NamespaceStale,
  type SidecarTask,
  type StaleConcern,
  type TextsOrigin,
} from './stale-tasks.ts'
import { hasNoChange } from './staleness.ts'
import type { State } from './state.ts'

/** Files looked at between two pauses. */
const STEP = 64

/** The namespaces with entries that a change may concern, and the files that end with it. */
interface FoundConcerns {
  concerns: StaleConcern[]
  ended: string[]
}

/** Mostly finds none, for the cost of a look at a few trees. */
function* concernsOf(change: ChangedState, hints: ChangeHints): Steps<FoundConcerns> {
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
    for (const namespace of staleThatDiffers(change.before, origin)) {
      if (!namespaces.has(namespace)) namespaces.set(namespace, new Set())
    }
  }
  const found: FoundConcerns = { concerns: [], ended: [] }
  for (const [slug, { namespaces, project }] of touched) {
    yield* findConcernsIn(change, slug, { touched: namespaces, projectChanged: project, hints }, found)
  }
  return found
}

function* findConcernsIn(
  change: ChangedState,
  slug: string,
  {
    touched,
    projectChanged,
    hints,
  }: { touched: Map<string, Set<string>>; projectChanged: boolean; hints: ChangeHints },
  { concerns, ended }: FoundConcerns,
): Steps<void> {
  const { before } = change
  const now = projectIn(change, slug)
  // The entries wait until a person repairs a bad project file.
  if (now === undefined && change.entry(projectPath(slug)) !== undefined) return
  // A person's file of that name: git cannot hold both.
  if (change.entry(staleFolder(slug))?.kind === 'blob') return
  if (now === undefined) {
    ended.push(...staleFiles(before, slug))
    return
  }
  const source = now.sourceLanguage
  const then = projectChanged ? projectIn(before, slug) : now
  const isReset = then !== undefined && then.sourceLanguage !== source
  const { part } = hints.origin ?? {}
  const wide = new Set<string>()
  const looks: Pick<StaleConcern, 'namespace' | 'touched' | 'sourceChanged' | 'hints'>[] = []
  for (const namespace of isReset ? new Set([...touched.keys(), ...staleNamespaces(before, slug)]) : touched.keys()) {
    yield
    const languages = touched.get(namespace) ?? new Set<string>()
    const sourceChanged = languages.has(source)
    const isFromThen = part?.slug === slug && (part.namespace ?? namespace) === namespace
    const hadSource = sourceChanged && idOf(before, { slug, language: source, namespace }) !== null
    const hasEntries = before.entry(stalePath(slug, namespace)) !== undefined
    if (!hasEntries && !hadSource && !isFromThen) continue
    if (sourceChanged || isFromThen || isReset) wide.add(namespace)
    const origin = isFromThen ? hints.origin : undefined
    looks.push({ namespace, touched: languages, sourceChanged: sourceChanged && !isReset, hints: { ...hints, origin } })
  }
  // Not from the state after: it would build its trees here, and again with the entries.
  const present = yield* languagesByNamespace(before, slug, wide)
  for (const look of looks) {
    const { namespace } = look
    const languages = new Set([...look.touched, ...(present.get(namespace) ?? [])])
    languages.delete(source)
    const targets = [...languages].sort()
    // The source message of a translation is known only where the texts come from an earlier state.
    if (isReset && (targets.length === 0 || !look.hints.origin)) ended.push(stalePath(slug, namespace))
    else if (targets.length > 0) concerns.push({ ...look, slug, source, isReset, targets })
    yield
  }
}

/** Writes the entries of a change into it: see `sidecars/update-sidecars.ts`. @throws as `compute` does */
export function* updateStaleEntries(change: ChangedState, hints: ChangeHints, compute: ComputeSidecars): Steps<void> {
  const { concerns, ended } = yield* concernsOf(change, hints)
  const namespaces = yield* inSteps(concerns, concern => new NamespaceStale(change, concern))
  if (namespaces.length > 0) yield* updateNamespaces(namespaces, change, compute)
  for (const path of ended) change.remove(path)
}

/** In three calls of `compute`, as each may interrupt the change. */
function* updateNamespaces(namespaces: NamespaceStale[], change: ChangedState, compute: ComputeSidecars): Steps<void> {
  const changed = namespaces.filter(({ concern }) => concern.sourceChanged)
  const sources = yield* inSteps(changed, one => one.sourceTask())
  for (const [at, found] of compute(sources).entries()) changed[at]!.found = found
  const tasks: SidecarTask<'staleIn'>[] = []
  for (const namespace of namespaces) {
    for (const task of namespace.staleTasks()) {
      tasks.push(task)
      yield
    }
  }
  const answers = compute(tasks)
  const looks = namespaces.map(namespace => ({ namespace, found: answers.splice(0, namespace.staleCount) }))
  const changing = looks.filter(({ namespace, found }) => namespace.concern.isReset || !found.every(hasNoChange))
  const files = compute(yield* inSteps(changing, ({ namespace, found }) => namespace.fileTask(found)))
  for (const [at, { namespace }] of changing.entries()) {
    const file = files[at]!
    if (file === null) change.remove(namespace.path)
    else change.put(namespace.path, asBuffer(file))
    yield
  }
}

/** The namespaces of a part with other entries than then. */
function staleThatDiffers(now: State, { state, part }: TextsOrigin): string[] {
  const names = namesThatDiffer(state, now, staleFolder(part.slug)).flatMap(name => namespaceOf(name) ?? [])
  return names.filter(name => (part.namespace ?? name) === name)
}

const staleNamespaces = (state: State, slug: string): string[] =>
  state.list(staleFolder(slug)).flatMap(({ name }) => namespaceOf(name) ?? [])
