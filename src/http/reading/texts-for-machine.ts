/** What a machine learns about texts of a bundle: their notes, the terms in them, and the texts near them. */
import { wantedLeaves } from '../../bundle/gate/wanted-leaves.ts'
import type { Message } from '../../bundle/message.ts'
import { rulesOf } from '../../bundle/status.ts'
import type { TextToTranslate } from '../../machine/translation.ts'
import { type BundleName, bundlePath, type Project } from '../../project/project.ts'
import type { Snapshot } from '../../store/store.ts'
import { notesAt } from '../writing/notes-task.ts'
import type { PinnedState } from './pinned-state.ts'
import { LARGE } from './status-cache.ts'
import { termsOf } from './terms-of.ts'

/** A state to read. */
export interface MachineReading {
  project: Project
  pinned: PinnedState
  left: AbortSignal
}

/** A text to translate, by its key. */
interface KnownText {
  key: string
  source: Message
  previous?: { source: Message; translation: Message } | undefined
}

/** The texts in the same order. */
export async function textsForMachine(
  state: MachineReading,
  bundle: BundleName,
  texts: readonly KnownText[],
): Promise<TextToTranslate[]> {
  const { project, pinned, left } = state
  const { sourceLanguage, interpolation } = project
  const { slug, language, namespace } = bundle
  const files = (now: Snapshot) => ({
    source: now.read(bundlePath({ slug, language: sourceLanguage, namespace })) ?? null,
    target: now.read(bundlePath(bundle)) ?? null,
    notes: notesAt(now, slug, namespace).bytes,
  })
  const keys = texts.map(({ key }) => key)
  const around = await pinned.compute('keySurroundings', now => ({ ...files(now), keys }), { most: LARGE, left })
  const rules = rulesOf(sourceLanguage, language, { interpolation })
  const known: TextToTranslate[] = []
  for (const [index, { key, source, previous }] of texts.entries()) {
    const terms = await termsOf(state, language, source)
    const { note, neighbours } = around[index]!
    const wanted = wantedLeaves(source, rules)
    known.push({ key, source, wanted, note: note?.note, max: note?.max, terms, neighbours, previous })
  }
  return known
}
