/** The texts of a language that a job translates, and why it skips others. */
import { createHash } from 'node:crypto'
import { charactersOf, wantedLeaves } from '../../bundle/gate/wanted-leaves.ts'
import { rulesOf } from '../../bundle/status.ts'
import { type Machine, translatesInto } from '../../machine/machine.ts'
import { requireLanguage, requireProject } from '../../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import { stalePath } from '../../project/stale.ts'
import { bundlePlans } from '../../project/status.ts'
import { nameOfRules, textRulesIn } from '../../project/text-rules.ts'
import {
  type MachineText,
  MOST_CHARACTERS,
  type SkipCode,
  type TextsToTranslateTask,
} from '../../project/texts-to-translate.ts'
import type { Snapshot } from '../../store/store.ts'
import { LARGE } from '../reading/status-cache.ts'
import type { MachineReading } from '../reading/texts-for-machine.ts'
import type { JobRequest } from './job-record.ts'

/** A text to translate, and its place. */
export interface PlannedText extends MachineText {
  namespace: string
  /** Characters that a machine would get: a form for each that the language needs. */
  characters: number
  /** Digest of what else decides about an answer: the machine, the instructions, the checks, the maximum. */
  config: string
}

/** A text as it was when it was planned. */
export type PlannedVersion = Pick<PlannedText, 'namespace' | 'key' | 'of' | 'config'>

export const versionOf = ({ namespace, key, of, config }: PlannedVersion): PlannedVersion => ({
  namespace,
  key,
  of,
  config,
})

/** The texts in the order of their places. */
export interface LanguagePlan {
  texts: PlannedText[]
  /** Texts that the gate refused before, from the same machine. They are not sent again. */
  refused: PlannedText[]
  /** Numbers of texts by reason. */
  skipped: Map<SkipReason, number>
}

/** Why a plan leaves texts out. */
export type SkipReason = SkipCode | 'language' | 'refused'

/** The reasons as phrases. */
export const SKIP_PHRASES: Record<SkipReason, string> = {
  'source-missing': 'the source has no text',
  'source-empty': 'the source is empty',
  'source-long': `the source has more than ${MOST_CHARACTERS.toLocaleString('en')} characters`,
  suggested: 'a suggestion of this machine waits already',
  language: 'the machine does not translate into',
  refused: 'the gate refused them before',
}

/** The refusals of earlier jobs. */
interface HeldTexts {
  /** Whether a text waits. @param open keys of its namespace that stay without a text */
  holds(text: PlannedText, open: ReadonlySet<string>): boolean
}

/** @param refusals undefined where their texts are sent again @throws Failure `not-found` without the language */
export async function planLanguage(
  { project, pinned, left }: MachineReading,
  request: JobRequest,
  machine: Machine,
  language: string,
  refusals: HeldTexts | undefined,
): Promise<LanguagePlan> {
  const rules = rulesOf(project.sourceLanguage, language, { interpolation: project.interpolation })
  const plan: LanguagePlan = { texts: [], refused: [], skipped: new Map() }
  const skip = (reason: SkipReason) => plan.skipped.set(reason, (plan.skipped.get(reason) ?? 0) + 1)
  const checks = await pinned.look(now => {
    requireLanguage(now, project, language)
    return nameOfRules(textRulesIn(now, project))
  })
  for (const bundle of await pinned.look(now => bundlePlans(now, project, language))) {
    if (bundle.source === null || request.namespaces?.includes(bundle.namespace) === false) continue
    left.throwIfAborted()
    /** Texts that stay as they are. */
    const open = new Set<string>()
    const task = (now: Snapshot) => ({ ...bundleTask(now, bundle, request), keys: request.keys })
    for (const text of await pinned.compute('textsToTranslate', task, { most: LARGE, left })) {
      if ('skipped' in text) {
        skip(text.skipped)
        open.add(text.key)
      } else if (!translatesInto(machine, language)) skip('language')
      else {
        const characters = charactersOf(wantedLeaves(text.source, rules))
        const config = configOf(machine, [request.instructions, text.max, checks])
        const planned = { ...text, namespace: bundle.namespace, characters, config }
        const isRefused = refusals?.holds(planned, open) === true
        if (isRefused) open.add(text.key)
        ;(isRefused ? plan.refused : plan.texts).push(planned)
      }
      await pinned.pause()
    }
  }
  return plan
}

function configOf({ name, kind, url, model }: Machine, others: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify([name, kind, url, model, ...others]))
  return digest.digest('base64url').slice(0, 12)
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
  { slug, is, machine, save }: Pick<JobRequest, 'slug' | 'is' | 'machine' | 'save'>,
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
