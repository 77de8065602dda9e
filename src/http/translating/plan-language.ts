/** The texts of a language that a job translates, and why it skips others. */
import { wantedLeaves } from '../../bundle/gate/wanted-leaves.ts'
import { rulesOf } from '../../bundle/status.ts'
import { type Machine, translatesInto } from '../../machine/machine.ts'
import { requireProject } from '../../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import { stalePath } from '../../project/stale.ts'
import { bundlePlans } from '../../project/status.ts'
import { textRulesIn } from '../../project/text-rules.ts'
import type { MachineText, TextsToTranslateTask } from '../../project/texts-to-translate.ts'
import { slices } from '../../scheduling/slices.ts'
import type { Snapshot } from '../../store/store.ts'
import { LARGE } from '../reading/status-cache.ts'
import type { MachineReading } from '../reading/texts-for-machine.ts'
import type { JobRequest } from './job-record.ts'

/** A text to translate, and its place. */
export interface PlannedText extends MachineText {
  namespace: string
  /** Characters that a machine would get: a form for each that the language needs. */
  characters: number
}

/** The texts in the order of their places. */
export interface LanguagePlan {
  texts: PlannedText[]
  /** Numbers of texts by reason. */
  skipped: Map<string, number>
}

export async function planLanguage(
  { project, pinned, left }: MachineReading,
  request: JobRequest,
  machine: Machine,
  language: string,
): Promise<LanguagePlan> {
  const rules = rulesOf(project.sourceLanguage, language, { interpolation: project.interpolation })
  const plan: LanguagePlan = { texts: [], skipped: new Map() }
  const skip = (reason: string) => plan.skipped.set(reason, (plan.skipped.get(reason) ?? 0) + 1)
  const pause = slices()
  for (const bundle of await pinned.look(now => bundlePlans(now, project, language))) {
    if (bundle.source === null || request.namespaces?.includes(bundle.namespace) === false) continue
    left.throwIfAborted()
    const task = (now: Snapshot) => ({ ...bundleTask(now, bundle, request), keys: request.keys })
    for (const text of await pinned.compute('textsToTranslate', task, { most: LARGE, left })) {
      if ('skipped' in text) skip(text.skipped)
      else if (!translatesInto(machine, language)) skip(`the machine does not translate into ${language}`)
      else {
        const wanted = wantedLeaves(text.source, rules)
        const characters = wanted.reduce((sum, { source }) => sum + source.length, 0)
        plan.texts.push({ ...text, namespace: bundle.namespace, characters })
      }
      await pause()
    }
  }
  return plan
}

/** The files that decide about the texts of a bundle. */
export const filesOfTexts = ({ slug, sourceLanguage }: Project, { language, namespace }: Omit<BundleName, 'slug'>) => ({
  source: bundlePath({ slug, language: sourceLanguage, namespace }),
  target: bundlePath({ slug, language, namespace }),
  notes: stalePath(slug, namespace),
  maxima: sidecarPath({ slug, sidecar: 'notes', namespace }),
  marks: sidecarPath({ slug, sidecar: 'marks', language, namespace }),
  suggestions: sidecarPath({ slug, sidecar: 'suggestions', language, namespace }),
})

/** What decides about the texts of a bundle in a state. */
export function bundleTask(
  now: Snapshot,
  { language, namespace }: Omit<BundleName, 'slug'>,
  { slug, is, machine, save }: JobRequest,
): Omit<TextsToTranslateTask, 'keys'> {
  const project = requireProject(now, slug)
  const paths = filesOfTexts(project, { language, namespace })
  const file = (name: keyof typeof paths) => now.read(paths[name]) ?? null
  return {
    ...{ source: file('source'), target: file('target'), notes: file('notes'), maxima: file('maxima') },
    ...{ marks: file('marks'), suggestions: file('suggestions'), rules: textRulesIn(now, project) },
    suggests: save === 'suggestion' || project.review?.[language] !== undefined,
    ...{ sourceLanguage: project.sourceLanguage, language, is, machine },
  }
}
