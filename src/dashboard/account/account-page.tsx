/** The reader's own account. */
import { useTranslation } from 'react-i18next'
import { useViewer } from '../api/session.ts'
import { Page } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import { Identities } from './identities.tsx'
import { NameSection } from './name-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { useAccounts } from './use-accounts.ts'

/** A section each; users without an organization have it too. */
export default function AccountPage() {
  const { t } = useTranslation('account')
  const viewer = useViewer()
  const { data: accounts } = useAccounts().accounts
  // An account that was created through the provider has no password. A second factor needs one.
  const hasPassword = accounts?.every(({ providerId }) => providerId !== 'credential') !== true
  return (
    <Page title={t('common:account')} lead={viewer.data?.user.email} narrow>
      <Loaded read={viewer}>
        {viewer =>
          viewer && (
            <>
              <NameSection user={viewer.user} />
              {hasPassword && <PasswordSection />}
              {hasPassword && <SecondFactorSection user={viewer.user} />}
              <Identities />
              <SessionsSection />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
