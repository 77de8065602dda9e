/** What becomes of texts that a caller writes. */
import type { Caller } from '../../auth/access.ts'
import { hasLevel, mayTranslate, rightsToWrite } from '../../auth/rights.ts'
import type { Project } from '../../project/project.ts'

/** They are written, written with an approval, or wait as suggestions. */
type FateOfTexts = 'written' | 'approved' | 'suggested'

/**
 * Without the right to suggest they count as written: the whole change is refused for it.
 * @param suggests whether texts beyond the right to translate become suggestions
 */
export function fateOfTexts(
  { slug, sourceLanguage, review }: Pick<Project, 'slug' | 'sourceLanguage' | 'review'>,
  caller: Caller,
  language: string,
  suggests: boolean,
): FateOfTexts {
  const rights = rightsToWrite(caller)
  const target = { project: slug, language }
  if (language === sourceLanguage || !hasLevel(rights, target, 'suggest')) return 'written'
  if (suggests && !mayTranslate(rights, target)) return 'suggested'
  const own = review?.[language]
  if (own === undefined) return 'written'
  // An app that registers missing keys reviews nothing.
  const approves = !own.fourEyes && caller.scope === 'write' && hasLevel(rights, target, 'review')
  return approves ? 'approved' : 'suggested'
}
