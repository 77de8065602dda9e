/** What the user may do in a language of a project. */
import type { LanguageRight, Who } from './client.ts'

const LEVELS: readonly LanguageRight['may'][] = ['read', 'suggest', 'translate', 'review']

/** Whether the rights allow at least this level. The server decides; this hides what it would refuse. */
export function mayIn({ role, rights }: Who, level: LanguageRight['may'], project: string, language: string): boolean {
  if (rights === undefined || role === 'owner' || role === 'admin') return true
  return rights.some(
    ({ may, projects, languages }) =>
      LEVELS.indexOf(may) >= LEVELS.indexOf(level) &&
      (projects === undefined || projects.includes(project)) &&
      (languages.includes('*') || languages.includes(language)),
  )
}
