/** The sign-in over a page after its session has ended. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getSession, setActiveOrganization } from '../api/client.ts'
import { forgetReader, VIEWER, type Viewer } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { go } from '../ui/location.ts'
import { OrProvider, SignInForm } from './forms.tsx'

/** Everything below stays as it was. A different user goes to the sign-in page. */
export default function AgainDialog({ viewer: { user, who } }: { viewer: Viewer }) {
  const { t } = useTranslation('signIn')
  const client = useQueryClient()
  const onDone = async () => {
    const session = await answer(getSession({}))
    if (session?.user.id !== user.id) return leave()
    // A new session starts in the first organization. The gate reports a lost membership.
    if (who) await answer(setActiveOrganization({ body: { organizationId: who.organization.id } })).catch(() => {})
    await client.invalidateQueries()
    announce(t('signedIn'))
  }
  const leave = () => {
    forgetReader(client)
    go('/sign-in')
  }
  return (
    <Dialog title={t('ended')} isOpen onClose={() => void client.invalidateQueries({ queryKey: VIEWER })} alert>
      <p>{t('endedWhy')}</p>
      <SignInForm email={user.email} onDone={onDone} />
      <OrProvider next={location.hash.slice(1)} />
      <Actions>
        <Button look="quiet" small onPress={leave}>
          {t('somebodyElse')}
        </Button>
      </Actions>
    </Dialog>
  )
}
