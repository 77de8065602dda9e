/** What the reader may do with the texts of a language. The server decides again at each write. */
import type { LanguageRight, Project, Who } from './client.ts'

/** The strongest right, and what a save of a text does: `suggest` leaves the text as it is. */
export interface LanguagePermit {
  level: LanguageRight['may']
  mode: 'save' | 'suggest' | 'read'
  /** Never in the source language. */
  mayApprove: boolean
  /** Whether what authors without the right to review write becomes a suggestion. */
  isReviewed: boolean
  /** Another person must accept one's own suggestions. */
  fourEyes: boolean
}

/** A project as far as permits depend on it. */
type ReviewedProject = Pick<Project, 'slug'> & Partial<Pick<Project, 'sourceLanguage' | 'review'>>

const LEVELS: readonly LanguageRight['may'][] = ['read', 'suggest', 'translate', 'review']

/** The strongest level of the reader in a language of a project. */
export function levelOn({ rights }: Pick<Who, 'rights'>, slug: string, language: string): LanguageRight['may'] {
  if (!rights) return 'review'
  const isOn = ({ projects, languages }: LanguageRight) =>
    (!projects || projects.includes(slug)) &&
    languages.some(tag => tag === '*' || tag.toLowerCase() === language.toLowerCase())
  return LEVELS[Math.max(0, ...rights.filter(isOn).map(({ may }) => LEVELS.indexOf(may)))]!
}

/** Whether a level includes another one. */
export const isAtLeast = ({ level }: Pick<LanguagePermit, 'level'>, needed: LanguageRight['may']): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf(needed)

/** Whether the reader's rights in a language of a project include a level. */
export const mayIn = (
  who: Pick<Who, 'rights'>,
  needed: LanguageRight['may'],
  slug: string,
  language: string,
): boolean => isAtLeast({ level: levelOn(who, slug, language) }, needed)

/** See {@link LanguagePermit}. */
export function permitIn(who: Pick<Who, 'rights'>, project: ReviewedProject, language: string): LanguagePermit {
  const level = levelOn(who, project.slug, language)
  const review = project.review?.[language]
  const mode =
    level === 'read'
      ? 'read'
      : level === 'suggest' || (review && (review.fourEyes || level !== 'review'))
        ? 'suggest'
        : 'save'
  return {
    ...{ level, mode, isReviewed: review !== undefined, fourEyes: review?.fourEyes === true },
    mayApprove: level === 'review' && language !== project.sourceLanguage,
  }
}
