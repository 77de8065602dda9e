/** Whether a text of a caller becomes a suggestion. */
import type { Caller } from '../../auth/access.ts'
import { hasLevel, mayTranslate, rightsToWrite } from '../../auth/rights.ts'
import type { Project } from '../../project/project.ts'

/** As `reviewTexts` decides for a change that suggests. */
export function becomesSuggestion(
  { slug, sourceLanguage, review }: Project,
  caller: Caller,
  language: string,
): boolean {
  const rights = rightsToWrite(caller)
  const target = { project: slug, language }
  if (language === sourceLanguage || !hasLevel(rights, target, 'suggest')) return false
  if (!mayTranslate(rights, target)) return true
  const own = review?.[language]
  return own !== undefined && (own.fourEyes === true || !hasLevel(rights, target, 'review'))
}
