/** The sentence that the dashboard shows for an error. */
import type { TFunction } from 'i18next'
import { ApiProblem, DotNameProblem } from './answer.ts'
import { statusSentence } from './status-sentence.ts'

/** The server's own sentence, or one of the dashboard where the server sent none. @param t of the namespace `common` */
export function problemOf(error: unknown, t: TFunction): string {
  if (error instanceof DotNameProblem) return t('common:dotsProblem')
  if (error instanceof ApiProblem) {
    if (error.status === 0) return t('common:offlineProblem')
    if (error.status === 401) return t('common:signedOut')
    return error.message || statusSentence(error.status, t)
  }
  return t('common:unknownProblem')
}
