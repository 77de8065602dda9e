/** Rights by language as the pages of the team show them: a list of languages, and one level in all of them. */
import { isLanguage } from '../../bundle/names.ts'
import type { LanguageRight } from '../api/client.ts'

/** The levels to choose from, the weakest first. Only the API sets `read`. */
export const CHOSEN_LEVELS = ['suggest', 'translate', 'review'] as const

/** One of {@link CHOSEN_LEVELS}. */
export type ChosenLevel = (typeof CHOSEN_LEVELS)[number]

/** Languages without any stand for all languages. */
export interface ListedRight {
  languages: readonly string[]
  may: ChosenLevel
}

/** The tags of a list as a user types it, each once. */
export const tagsIn = (typed: string): string[] => [...new Set(typed.split(/[,;\s]+/).filter(tag => tag !== ''))]

/** The first of some tags that is none; undefined without such a one. */
export const wrongTag = (tags: readonly string[]): string | undefined => tags.find(tag => !isLanguage(tag))

/** The level that a list has until the user chooses one: all of a role without languages, translations with some. */
export const levelFor = (typed: string, chosen: ChosenLevel | undefined): ChosenLevel =>
  chosen ?? (tagsIn(typed).length === 0 ? 'review' : 'translate')

/** The rights of the API; null, which narrows nothing, to review all languages. */
export function rightsFor({ languages, may }: ListedRight): LanguageRight[] | null {
  if (languages.length === 0 && may === 'review') return null
  return [{ languages: languages.length === 0 ? ['*'] : [...languages], may }]
}

/** The inverse of {@link rightsFor}. Undefined for rights that only the API sets: to read, in some projects, mixed. */
export function listedRight(rights: readonly LanguageRight[] | null): ListedRight | undefined {
  if (rights === null) return { languages: [], may: 'review' }
  const [right, ...others] = rights
  if (right === undefined || others.length > 0 || right.projects !== undefined || right.may === 'read') return undefined
  return { languages: right.languages.includes('*') ? [] : right.languages, may: right.may }
}
