/** The sign-in methods of this server, and its refusals. */
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { ApiProblem, answer } from '../api/answer.ts'
import { getSignIn } from '../api/client.ts'
import { problemOf } from '../api/problem-of.ts'
import { statusSentence } from '../api/status-sentence.ts'

/** How one may get in here, by the server's settings. */
export const useSignInMethods = () =>
  useQuery({ queryKey: ['ways'], queryFn: () => answer(getSignIn()), staleTime: 30_000 })

/** The sentence for a refusal, in the dashboard's words for common cases. @param t of any namespace */
export function refusalOf(error: unknown, t: TFunction): string {
  if (!(error instanceof ApiProblem) || error.status === 0) return problemOf(error, t)
  const { code } = (error.data ?? {}) as { code?: string }
  switch (code) {
    case 'INVALID_EMAIL_OR_PASSWORD':
      return t('signIn:wrongPassword')
    case 'INVALID_PASSWORD':
      return t('signIn:wrongOwnPassword')
    case 'INVALID_CODE':
      return t('signIn:wrongCode')
    case 'INVALID_BACKUP_CODE':
      return t('signIn:wrongBackupCode')
    case 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL':
    case 'USER_ALREADY_EXISTS':
      return t('signIn:knownAddress')
    case 'ORGANIZATION_ALREADY_EXISTS':
    case 'ORGANIZATION_SLUG_ALREADY_TAKEN':
      return t('signIn:takenSlug')
    default:
      return error.message || statusSentence(error.status, t)
  }
}
