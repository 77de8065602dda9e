/** Signing out where there is no account menu. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { signOut } from '../api/client.ts'
import { problemOf } from '../api/sentence.ts'
import { forgetReader } from '../api/session.ts'
import { announce } from '../shell/announce.ts'
import { Button } from '../ui/button.tsx'

/** @param onDone by default the sign-in page follows of itself */
export function SignOutButton({ onDone }: { onDone?: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const leave = async () => {
    try {
      await answer(signOut())
      forgetReader(client)
      onDone?.()
    } catch (error) {
      announce(problemOf(error, t))
    }
  }
  return (
    <Button look="quiet" onPress={() => void leave()}>
      {t('signOut')}
    </Button>
  )
}
