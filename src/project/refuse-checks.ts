/** Refuses a change that brings texts which a check of the project refuses: every write of texts passes here. */

import { onlyRefused } from '../bundle/checks/check-settings.ts'
import { type RefusedTexts, throwRefused } from '../bundle/checks/refused-texts.ts'
import type { TextRules } from '../bundle/status.ts'
import type { Steps } from '../scheduling/steps.ts'
import { idOf, projectIn } from './layout.ts'
import type { Offload } from './offload.ts'
import { reading } from './precompute.ts'
import { type BundleName, bundlePath, ownFile, type Project } from './project.ts'
import { sidecarPath } from './sidecars/sidecars.ts'
import {
  type ChangedState,
  type ChangeHints,
  type ComputeSidecars,
  renamingsIn,
  type SidecarTask,
} from './stale-tasks.ts'
import type { State } from './state.ts'
import { nameOfRules, textRulesIn } from './text-rules.ts'

/** Files looked at between two pauses. */
const STEP = 64

/**
 * The settings before the change count: a project that returns brings its own texts. Stored texts are not checked.
 * @throws Failure `unfit` naming each check, key and form, and as `compute` does
 */
export function* refuseChecks(change: ChangedState, hints: ChangeHints, compute: ComputeSidecars): Steps<void> {
  const tasks: SidecarTask<'refusedTexts'>[] = []
  let moved: ReadonlySet<string | undefined> | undefined
  for (const [at, path] of change.changed().entries()) {
    if (at % STEP === STEP - 1) yield
    const file = ownFile(path)
    const id = change.entry(path)?.id
    if (file?.kind !== 'bundle' || id === undefined) continue
    const project = projectIn(change.before, file.slug)
    if (!project || !isChecked(project, file)) continue
    moved ??= movedIn(change)
    if (!moved.has(id)) tasks.push(taskOf(change, hints, project, file))
  }
  const answers = compute(tasks)
  throwRefused(answers.map((texts, at) => [nameOf(tasks[at]!.bundle), texts]))
}

/** The blob ids of removed files: a renamed place, or the undo of its renaming, stores them under another name. */
const movedIn = (change: ChangedState): Set<string | undefined> =>
  new Set(change.changed().flatMap(path => (change.entry(path) === undefined ? change.before.entry(path)?.id : [])))

/** As {@link refuseChecks}, of a person's version of a file. @param after the bytes to store */
export async function refuseEdit(
  file: BundleName,
  after: Uint8Array,
  { state, project, compute }: { state: State; project: Project; compute: Offload },
): Promise<void> {
  if (!isChecked(project, file)) return
  const { language } = file
  const { sourceLanguage } = project
  const source = state.read(bundlePath({ ...file, language: sourceLanguage })) ?? null
  const before = state.read(bundlePath(file)) ?? null
  const path = maximaPath(project, file)
  const notes = path === undefined ? null : (state.read(path) ?? null)
  const marks = state.read(marksPath(file)) ?? null
  const versions = { source, before, after, notes, marks, keys: null, renamed: [] }
  const texts: RefusedTexts = await compute('refusedTexts', {
    ...{ ...versions, sourceLanguage, language },
    rules: refusedRulesIn(state, project),
  })
  throwRefused([[nameOf(file), texts]])
}

const isChecked = ({ checks, sourceLanguage }: Project, { language }: BundleName): boolean =>
  language !== sourceLanguage && onlyRefused(checks) !== undefined

/** The rules of the refused faults alone: a glossary that refuses nothing is not read. */
const refusedRulesIn = (state: State, project: Project): TextRules =>
  textRulesIn(state, { ...project, checks: onlyRefused(project.checks) })

/** The file with the maxima of lengths, undefined where the project does not refuse by them. */
const maximaPath = ({ checks, slug }: Project, { namespace }: BundleName): string | undefined =>
  checks?.length === 'refuse' ? sidecarPath({ slug, sidecar: 'notes', namespace }) : undefined

/** The file with the dismissed problems of a bundle. */
const marksPath = (bundle: BundleName): string => sidecarPath({ ...bundle, sidecar: 'marks' })

const nameOf = ({ language, namespace }: BundleName): string => `${language}/${namespace}`

function taskOf(
  change: ChangedState,
  hints: ChangeHints,
  project: Project,
  { slug, language, namespace }: BundleName,
): SidecarTask<'refusedTexts'> {
  const bundle = { slug, language, namespace }
  const { sourceLanguage } = project
  const beside = { slug, language: sourceLanguage, namespace }
  const { changes } = hints
  const isKnown = changes !== undefined && nameOf(changes.bundle) === nameOf(bundle)
  const rest = { renamed: renamingsIn(hints, bundle), sourceLanguage, language }
  const rules = refusedRulesIn(change.before, project)
  const path = maximaPath(project, bundle)
  const notes = path && change.entry(path)?.id
  const marks = change.entry(marksPath(bundle))?.id
  const [before, after, source] = [idOf(change.before, bundle), idOf(change, bundle), idOf(change, beside)]
  return {
    name: 'refusedTexts',
    bundle,
    id: before,
    variant: JSON.stringify([before, after, source, notes, marks, rest, nameOfRules(rules)]),
    *read() {
      const { organization, project: own } = rules.glossaries ?? {}
      for (const bytes of [organization, own]) yield* reading(bytes)
      return {
        source: yield* reading(change.read(bundlePath(beside))),
        before: isKnown ? null : yield* reading(change.before.read(bundlePath(bundle))),
        after: isKnown ? null : yield* reading(change.read(bundlePath(bundle))),
        notes: yield* reading(path === undefined ? null : change.read(path)),
        marks: yield* reading(change.read(marksPath(bundle))),
        keys: isKnown ? changes.keys : null,
        ...rest,
        rules,
      }
    },
  }
}
