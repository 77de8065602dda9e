/** The terms of the glossaries in a source message. */
import type { Message } from '../../bundle/message.ts'
import type { KeyTerm } from '../../project/key-terms.ts'
import type { Project } from '../../project/project.ts'
import { glossariesOf } from '../../project/text-rules.ts'
import type { Snapshot } from '../../store/store.ts'
import type { PinnedState } from './pinned-state.ts'
import { LARGE } from './status-cache.ts'

/** A state to read. */
interface TermsReading {
  project: Project
  pinned: PinnedState
  left: AbortSignal
}

/** @param language of the words */
export async function termsOf(
  { project, pinned, left }: TermsReading,
  language: string,
  source: Message,
): Promise<KeyTerm[]> {
  const { slug, sourceLanguage, interpolation } = project
  if (!(await pinned.look(now => glossariesOf(now, slug) !== undefined))) return []
  const json = Buffer.from(JSON.stringify(source))
  const taskIn = (now: Snapshot) => ({
    glossaries: glossariesOf(now, slug)!,
    source: json,
    ...{ sourceLanguage, language, interpolation },
  })
  return pinned.compute('keyTerms', taskIn, { most: LARGE, left })
}
