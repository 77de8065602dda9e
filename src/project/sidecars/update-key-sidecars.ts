/** Updates the sidecars with entries by key in the commit of a change, by the rules of `follow-keys.ts`. */

import { asBuffer } from '../../bundle/file-change.ts'
import type { Steps } from '../../scheduling/steps.ts'
import { changedFiles } from '../changed-files.ts'
import { glossaryAt, glossaryPath } from '../glossary-file.ts'
import { projectIn } from '../layout.ts'
import { bundlePath, namespaceOf, ownFile, type Project, projectPath } from '../project.ts'
import {
  type ChangedState,
  type ChangeHints,
  type ComputeSidecars,
  renamingsIn,
  type SidecarTask,
  type TextsOrigin,
} from '../stale-tasks.ts'
import type { State } from '../state.ts'
import type { FollowKeysTask } from './follow-keys.ts'
import {
  BY_KEY,
  filesOfSidecar,
  isByLanguage,
  type SidecarFile,
  type SidecarName,
  sidecarFile,
  sidecarFolder,
  sidecarFolders,
  sidecarPath,
} from './sidecars.ts'
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
        for (const file of filesOfSidecar(change, slug.name, sidecar)) change.remove(sidecarPath(file))
        continue
      }
      const concern = { change, hints, project, sidecar }
      for (const path of yield* pathsOf(concern, slug.bundles)) {
        tasks.push({ path, task: yield* taskFor(concern, sidecarFile(path)!, path) })
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

/** The files with entries that may change, for the cost of a look at a few trees. */
function* pathsOf(concern: SidecarConcern, bundles: ReadonlySet<string>): Steps<Set<string>> {
  const { change, hints, project, sidecar } = concern
  const { slug, sourceLanguage } = project
  const found = new Set<string>()
  const add = (path: string) => {
    if (change.entry(path)?.kind === 'blob') found.add(path)
  }
  for (const name of bundles) {
    yield
    const [language, namespace] = name.split('/') as [string, string]
    if (isByLanguage(sidecar)) add(sidecarPath({ slug, sidecar, language, namespace }))
    else if (language === sourceLanguage) add(sidecarPath({ slug, sidecar, namespace }))
  }
  const keys = [...(hints.renamed ?? []), ...(hints.deleted ?? [])].filter(hint => hint.slug === slug)
  const hinted = new Set(keys.map(({ namespace }) => namespace))
  for (const folder of hinted.size > 0 ? sidecarFolders(change, slug, sidecar) : []) {
    // Many are not looked for one by one in each folder: both numbers may be large.
    const names = hinted.size === 1 ? [...hinted] : change.list(folder).flatMap(({ name }) => namespaceOf(name) ?? [])
    for (const namespace of names) if (hinted.has(namespace)) add(`${folder}/${namespace}.json`)
    yield
  }
  const origin = originIn(concern)
  if (!origin) return found
  for (const { path } of changedFiles(origin.state, origin.until ?? change, sidecarFolder(slug, sidecar))) {
    const file = sidecarFile(path)
    if (file && isIn(origin, file)) found.add(path)
  }
  return found
}

/**
 * The earlier state of entries that a change brings back. A restore of a translation brings back none of entries that
 * follow the key in all languages.
 */
function originIn({ hints, project, sidecar }: SidecarConcern): TextsOrigin | undefined {
  const { origin } = hints
  if (origin?.part.slug !== project.slug) return undefined
  const { language = project.sourceLanguage } = origin.part
  return isByLanguage(sidecar) || language === project.sourceLanguage ? origin : undefined
}

/** Whether an origin brings back entries of a file. */
const isIn = ({ part }: TextsOrigin, { language, namespace }: SidecarFile): boolean =>
  (part.namespace ?? namespace) === namespace && (language === undefined || (part.language ?? language) === language)

function* taskFor(concern: SidecarConcern, file: SidecarFile, path: string): Steps<SidecarTask<'followKeys'>> {
  const { change, hints, project, sidecar } = concern
  const { language, namespace } = file
  const bundle = { slug: project.slug, language: language ?? project.sourceLanguage, namespace }
  const keys = { before: fileAt(bundlePath(bundle), change.before), after: fileAt(bundlePath(bundle), change) }
  const origin = originIn(concern)
  const held = origin && sidecar === 'marks' ? hints.held?.(bundle.language) : undefined
  const task: UnreadTask<FollowKeysTask> = {
    sidecar,
    path,
    before: fileAt(path, change.before),
    now: fileAt(path, change),
    keys: keys.before.id === keys.after.id ? null : keys,
    renamed: renamingsIn(hints, bundle),
    deleted: (hints.deleted ?? []).flatMap(one =>
      one.slug === project.slug && one.namespace === namespace ? [one.key] : [],
    ),
    origin:
      origin && isIn(origin, file)
        ? {
            file: fileAt(path, origin.state),
            left: origin.until && { file: fileAt(path, origin.until) },
            key: origin.key ?? null,
            onlyReturning: language === undefined && origin.part.language !== undefined,
          }
        : null,
    held: held ? { approvals: held, since: yield* origin!.since(bundle) } : null,
  }
  const read = () => readFiles(task) as ReturnType<SidecarTask<'followKeys'>['read']>
  return { name: 'followKeys', bundle, id: keys.before.id, variant: `${path} ${JSON.stringify(task)}`, read }
}

const fileAt = (path: string, state: State): TaskFile => TaskFile.at(path, state)
