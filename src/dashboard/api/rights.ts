/** The roles of members, and what the reader may do with the texts of a language. The server decides at each write. */
import type { TFunction } from 'i18next'
import type { LanguageRight, Project, Who } from './client.ts'

/** From the most to the least. */
export const ROLES = ['owner', 'admin', 'member'] as const
export type MemberRole = (typeof ROLES)[number]

/** The strongest of a stored role, which better-auth may join by commas. */
export const strongest = (stored: string): MemberRole =>
  ROLES.find(role => stored.split(',').includes(role)) ?? 'member'

/** The name of a role in the reader's language. @param t any */
export function roleName(stored: string, t: TFunction): string {
  return { owner: t('common:owner'), admin: t('common:admin'), member: t('common:member') }[strongest(stored)]
}

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
  const fourEyes = review?.fourEyes === true
  const suggests = level === 'suggest' || fourEyes || (review && level !== 'review')
  return {
    level,
    mode: level === 'read' ? 'read' : suggests ? 'suggest' : 'save',
    mayApprove: level === 'review' && language !== project.sourceLanguage,
    isReviewed: review !== undefined,
    fourEyes,
  }
}
