/** Rights by language as the pages of the team show them: a list of languages to translate. */
import { isLanguage } from '../../bundle/names.ts'
import type { LanguageRight } from '../api/client.ts'

/** The tags of a list as a user types it, each once. */
export const tagsIn = (typed: string): string[] => [...new Set(typed.split(/[,;\s]+/).filter(tag => tag !== ''))]

/** The first of some tags that is none; undefined without such a one. */
export const wrongTag = (tags: readonly string[]): string | undefined => tags.find(tag => !isLanguage(tag))

/** What a list of tags allows: to translate these languages, or all of them without any. */
export const rightsFor = (tags: readonly string[]): LanguageRight[] | null =>
  tags.length === 0 ? null : [{ languages: [...tags], may: 'translate' }]

/**
 * The tags that {@link rightsFor} has these rights of. Undefined for other rights, which only the API sets: to read, to
 * suggest, to review, or in some projects.
 */
export function listedLanguages(rights: readonly LanguageRight[] | null): readonly string[] | undefined {
  if (rights === null) return []
  const [right, ...others] = rights
  const isListed = right?.may === 'translate' && right.projects === undefined && !right.languages.includes('*')
  return isListed && others.length === 0 ? right.languages : undefined
}
