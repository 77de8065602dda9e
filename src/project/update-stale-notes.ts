/** Updates the notes of stale translations in the commit that changes them, see `stale.ts`. */
import { asBuffer } from '../bundle/file-change.ts'
import type { Steps } from '../scheduling/steps.ts'
import { namesThatDiffer } from './changed-files.ts'
import { hasBundle, idOf, projectIn } from './layout.ts'
import {
  type ChangedState,
  type ComputeNotes,
  NamespaceNotes,
  type NotesConcern,
  type NotesHints,
  type NotesTask,
  type TextsOrigin,
} from './notes-tasks.ts'
import { localesPath, namespaceOf, ownFile, type Project, projectPath } from './project.ts'
import { staleFolder, stalePath } from './stale.ts'
import { hasNoChange } from './staleness.ts'
import type { State } from './state.ts'

/** Files looked at between two pauses. */
const STEP = 64

/** Finds the namespaces with notes that a change may concern: mostly none, for the cost of a look at a few trees. */
function* concernsOf(change: ChangedState, hints: NotesHints): Steps<NotesConcern[]> {
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
  const concerns: NotesConcern[] = []
  for (const [slug, { namespaces, project }] of touched) {
    concerns.push(...(yield* concernsIn(change, slug, namespaces, project, hints)))
  }
  return concerns
}

function* concernsIn(
  change: ChangedState,
  slug: string,
  touched: Map<string, Set<string>>,
  projectChanged: boolean,
  hints: NotesHints,
): Steps<NotesConcern[]> {
  const { before } = change
  const now = projectIn(change, slug)
  // The notes wait until a person repairs a bad project file.
  if (now === undefined && change.entry(projectPath(slug)) !== undefined) return []
  const then = projectChanged ? projectIn(before, slug) : now
  const newSource = then !== undefined && now !== undefined && then.sourceLanguage !== now.sourceLanguage
  const all =
    now === undefined || newSource ? new Set([...touched.keys(), ...notedNamespaces(before, slug)]) : touched.keys()
  const concerns: NotesConcern[] = []
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
          newSource: true,
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
      sourceChanged || fromThen || newSource ? yield* languagesWith(before, now, namespace, languages) : [...languages]
    const others = targets.filter(language => language !== source)
    if (others.length === 0 && !newSource) continue
    concerns.push({
      slug,
      namespace,
      source,
      sourceChanged,
      newSource,
      targets: others,
      touched: languages,
      hints: fromThen ? hints : { ...hints, origin: undefined },
    })
  }
  return concerns
}

/** Writes the notes of a change into it. @throws as `compute` does */
export function* updateStaleNotes(change: ChangedState, hints: NotesHints, compute: ComputeNotes): Steps<void> {
  if (hints.hasNotes) return
  const namespaces = (yield* concernsOf(change, hints)).map(concern => new NamespaceNotes(change, concern))
  if (namespaces.length === 0) return
  // One call for each kind of task, as each call may interrupt the change.
  const changed = namespaces.filter(({ sourceChanged }) => sourceChanged)
  for (const [at, found] of compute(changed.map(one => one.sourceTask())).entries()) changed[at]!.found = found
  const tasks: NotesTask<'staleIn'>[] = []
  for (const namespace of namespaces) {
    for (const task of namespace.staleTasks()) {
      tasks.push(task)
      yield
    }
  }
  const answers = compute(tasks)
  const known = namespaces.filter(({ isKnown }) => isKnown)
  const looks = known.map(namespace => ({ namespace, found: answers.splice(0, namespace.staleCount) }))
  const changing = looks.filter(({ namespace, found }) => namespace.isReset || !found.every(hasNoChange))
  const files = compute(changing.map(({ namespace, found }) => namespace.notesTask(found)))
  for (const [at, { namespace }] of changing.entries()) {
    const file = files[at]!
    if (file === null) change.remove(namespace.path)
    else change.put(namespace.path, asBuffer(file))
    yield
  }
  for (const { isKnown, path } of namespaces) if (!isKnown) change.remove(path)
}

/** The languages with a namespace's bundle before or after a change. @param changed its languages with changes there */
function* languagesWith(
  before: State,
  { slug }: Project,
  namespace: string,
  changed: ReadonlySet<string>,
): Steps<string[]> {
  const languages = new Set(changed)
  // Not from the state after: it would build its trees here, and again with the notes.
  for (const [at, { name: language }] of before.list(localesPath(slug)).entries()) {
    if (at % STEP === STEP - 1) yield
    if (hasBundle(before, { slug, language, namespace })) languages.add(language)
  }
  return [...languages].sort()
}

/** The namespaces of a part with other notes than then. */
function notesThatDiffer(now: State, { state, part }: TextsOrigin): string[] {
  const names = namesThatDiffer(state, now, staleFolder(part.slug)).flatMap(name => namespaceOf(name) ?? [])
  return names.filter(name => (part.namespace ?? name) === name)
}

function notedNamespaces(state: State, slug: string): string[] {
  return state.list(staleFolder(slug)).flatMap(({ name }) => namespaceOf(name) ?? [])
}
