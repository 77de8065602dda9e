/** Signing out where there is no account menu. */
import { useTranslation } from 'react-i18next'
import { Button } from '../ui/button.tsx'
import { useSignOut } from './use-sign-out.ts'

/** A quiet button; the sign-in page follows. */
export function SignOutButton() {
  const { t } = useTranslation()
  const leave = useSignOut()
  return (
    <Button look="quiet" onPress={() => void leave()}>
      {t('signOut')}
    </Button>
  )
}
