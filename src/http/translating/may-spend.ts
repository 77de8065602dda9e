/** Whether a caller may have texts translated by a machine, now. */
import type { Caller } from '../../auth/access.ts'
import { reaches } from '../../auth/access.ts'
import type { Auth } from '../../auth/auth.ts'
import { hasLevel } from '../../auth/rights.ts'
import { noProject } from '../../project/layout.ts'
import { noRight } from '../writing/within-rights.ts'
import type { JobRequest } from './job-record.ts'

/** @param present as `Auth.recheck` returns it @throws Failure `not-found`, or `forbidden` naming the languages */
export function requireMaySpend(
  present: Caller,
  { slug, save }: Pick<JobRequest, 'slug' | 'save'>,
  languages: readonly string[],
): void {
  if (!reaches(present, slug)) throw noProject(slug)
  const level = save === 'text' ? 'translate' : 'suggest'
  const beyond = languages.filter(language => !hasLevel(present.rights, { project: slug, language }, level))
  if (beyond.length === 0) return
  throw noRight(present, level === 'translate' ? 'translate' : 'suggest texts in', beyond, [slug])
}

/** The caller as they are now. @throws Failure as `Auth.recheck`, and {@link requireMaySpend} */
export function recheckSpending(
  auth: Pick<Auth, 'recheck'>,
  caller: Caller,
  ...asked: [of: Pick<JobRequest, 'slug' | 'save'>, languages: readonly string[]]
): Caller {
  const present = auth.recheck(caller, 'edit')
  requireMaySpend(present, ...asked)
  return present
}
