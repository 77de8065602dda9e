/** What the reader may do in each language of the editor. */
import { useMemo } from 'react'
import { type LanguagePermit, permitIn } from '../api/language-permit.ts'
import { useProjects } from '../api/queries.ts'
import { useMember } from '../api/session.ts'

/** By target. The same list until a right or the review of the project changes. */
export function usePermits(slug: string, targets: readonly string[]): readonly LanguagePermit[] {
  const { who } = useMember()
  const { data } = useProjects()
  const project = data?.find(one => one.slug === slug) ?? { slug }
  const permits = JSON.stringify(targets.map(language => permitIn(who, project, language)))
  return useMemo(() => JSON.parse(permits), [permits])
}
