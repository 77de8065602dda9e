/** Updates the sidecars with entries by key in the commit of a change, by the rules of `follow-keys.ts`. */

import { asBuffer } from '../../bundle/file-change.ts'
import type { Steps } from '../../scheduling/steps.ts'
import { namesThatDiffer } from '../changed-files.ts'
import { glossaryAt, glossaryPath } from '../glossary-file.ts'
import { projectIn } from '../layout.ts'
import { bundlePath, namespaceOf, ownFile, type Project, projectPath } from '../project.ts'
import type { ChangedState, ChangeHints, ComputeSidecars, SidecarTask, TextsOrigin } from '../stale-tasks.ts'
import type { State } from '../state.ts'
import type { FollowKeysTask } from './follow-keys.ts'
import { BY_KEY, type SidecarName, sidecarFolder, sidecarNamespaces, sidecarPath } from './sidecars.ts'
import { readFiles, TaskFile, type UnreadTask } from './task-file.ts'

/** Files looked at between two pauses. */
const STEP = 64

/** Writes the new files into a change. @throws as `compute` does */
export function* updateKeySidecars(change: ChangedState, hints: ChangeHints, compute: ComputeSidecars): Steps<void> {
  const tasks: { path: string; task: SidecarTask<'followKeys'> }[] = []
  for (const slug of yield* touchedProjects(change, hints)) {
    const project = projectIn(change, slug.name)
    // Entries wait until a person repairs a bad project file.
    if (!project && change.entry(projectPath(slug.name)) !== undefined) continue
    if (!project && glossaryAt(change, slug.name).exists) change.remove(glossaryPath(slug.name))
    for (const sidecar of BY_KEY) {
      // A person's file of that name: git cannot hold both.
      if (change.entry(sidecarFolder(slug.name, sidecar))?.kind === 'blob') continue
      if (!project) {
        for (const namespace of sidecarNamespaces(change, slug.name, sidecar)) {
          change.remove(sidecarPath({ slug: slug.name, sidecar, namespace }))
        }
        continue
      }
      const concern = { change, hints, project, sidecar }
      for (const namespace of namespacesOf(concern, slug.bundles)) {
        const path = sidecarPath({ slug: slug.name, sidecar, namespace })
        tasks.push({ path, task: taskFor(concern, namespace, path) })
        yield
      }
    }
  }
  const files = tasks.length === 0 ? [] : compute(tasks.map(({ task }) => task))
  for (const [at, { path }] of tasks.entries()) {
    const file = files[at]!
    if (file === null) change.remove(path)
    else if (!change.read(path)?.equals(file)) change.put(path, asBuffer(file))
    yield
  }
}

interface TouchedProject {
  name: string
  /** The changed bundles, as `<language>/<namespace>`. */
  bundles: Set<string>
}

/** The projects that a change may concern. */
function* touchedProjects(change: ChangedState, { origin }: ChangeHints): Steps<Iterable<TouchedProject>> {
  const touched = new Map<string, TouchedProject>()
  const touch = (name: string) => {
    const project = touched.get(name) ?? { name, bundles: new Set() }
    touched.set(name, project)
    return project
  }
  if (origin) touch(origin.part.slug)
  for (const [at, path] of change.changed().entries()) {
    if (at % STEP === STEP - 1) yield
    const file = ownFile(path)
    if (file) touch(file.slug)
    if (file?.kind === 'bundle') touch(file.slug).bundles.add(`${file.language}/${file.namespace}`)
  }
  return touched.values()
}

/** A sidecar of a project in a change. */
interface SidecarConcern {
  change: ChangedState
  hints: ChangeHints
  project: Project
  sidecar: SidecarName
}

/** The namespaces with entries that may change, for the cost of a look at a few trees. */
function namespacesOf(concern: SidecarConcern, bundles: ReadonlySet<string>): Set<string> {
  const { change, hints, project, sidecar } = concern
  const { slug, sourceLanguage } = project
  const found = new Set<string>()
  const add = (namespace: string) => {
    if (change.entry(sidecarPath({ slug, sidecar, namespace })) !== undefined) found.add(namespace)
  }
  for (const name of bundles) {
    const [language, namespace] = name.split('/') as [string, string]
    if (language === sourceLanguage) add(namespace)
  }
  for (const hint of [hints.renamed, hints.deleted]) if (hint?.slug === slug) add(hint.namespace)
  const origin = originIn(concern)
  if (!origin) return found
  const { state, part, until } = origin
  const names = namesThatDiffer(state, until ?? change, sidecarFolder(slug, sidecar))
  for (const namespace of names.flatMap(name => namespaceOf(name) ?? [])) {
    if ((part.namespace ?? namespace) === namespace) found.add(namespace)
  }
  return found
}

/** The earlier state of entries that a change brings back. A restore of a translation brings back none. */
function originIn({ hints, project }: SidecarConcern): TextsOrigin | undefined {
  const { origin } = hints
  if (origin?.part.slug !== project.slug) return undefined
  return (origin.part.language ?? project.sourceLanguage) === project.sourceLanguage ? origin : undefined
}

function taskFor(concern: SidecarConcern, namespace: string, path: string): SidecarTask<'followKeys'> {
  const { change, hints, project } = concern
  const bundle = { slug: project.slug, language: project.sourceLanguage, namespace }
  const isHere = (hint: { slug: string; namespace: string } | undefined) =>
    hint?.slug === project.slug && hint.namespace === namespace
  const source = { before: fileAt(bundlePath(bundle), change.before), after: fileAt(bundlePath(bundle), change) }
  const origin = originIn(concern)
  const isOrigin = origin && (origin.part.namespace ?? namespace) === namespace
  const task: UnreadTask<FollowKeysTask> = {
    before: fileAt(path, change.before),
    now: fileAt(path, change),
    source: source.before.id === source.after.id ? null : source,
    renamed: isHere(hints.renamed) ? { from: hints.renamed!.from, to: hints.renamed!.to } : null,
    deleted: isHere(hints.deleted) ? hints.deleted!.key : null,
    origin: isOrigin
      ? {
          file: fileAt(path, origin.state),
          left: origin.until && { file: fileAt(path, origin.until) },
          key: origin.key ?? null,
          onlyReturning: origin.part.language !== undefined,
        }
      : null,
  }
  const read = () => readFiles(task) as ReturnType<SidecarTask<'followKeys'>['read']>
  return { name: 'followKeys', bundle, id: source.before.id, variant: `${path} ${JSON.stringify(task)}`, read }
}

const fileAt = (path: string, state: State): TaskFile => TaskFile.at(path, state)
