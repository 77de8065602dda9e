/** Signing out. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer, problemOf } from '../api/answer.ts'
import { signOut } from '../api/client.ts'
import { forgetReader } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'

/** @returns signs out, and announces the server's refusal; the gate then shows the sign-in page */
export function useSignOut(onDone?: () => void): () => Promise<void> {
  const { t } = useTranslation()
  const client = useQueryClient()
  return async () => {
    try {
      await answer(signOut())
      forgetReader(client)
      onDone?.()
    } catch (error) {
      announce(problemOf(error, t))
    }
  }
}

/** Signing out where there is no account menu. */
export function SignOutButton() {
  const { t } = useTranslation()
  return (
    <Button look="quiet" onPress={useSignOut()}>
      {t('signOut')}
    </Button>
  )
}
