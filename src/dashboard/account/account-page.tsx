/** The reader's own account. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { listAccounts } from '../api/client.ts'
import { useViewer } from '../api/session.ts'
import { ProviderButton } from '../sign-in/provider-button.tsx'
import { useSignInMethods } from '../sign-in/sign-in-methods.ts'
import { Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { Loaded } from '../ui/state.tsx'
import { NameSection } from './name-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SecondFactorSection } from './second-factor-section.tsx'
import { SessionsSection } from './sessions-section.tsx'

/** A section each; users without an organization have it too. */
export default function AccountPage() {
  const { t } = useTranslation('account')
  const viewer = useViewer()
  const { data: accounts } = useAccounts().accounts
  // An account that was created through the provider has no password. A second factor needs one.
  const hasPassword = accounts?.every(({ providerId }) => providerId !== 'credential') !== true
  return (
    <Page title={t('common:account')} lead={viewer.data?.user.email}>
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

/** Nothing on a server without a provider. */
function Identities() {
  const { t } = useTranslation(['account', 'signIn'])
  const { provider, accounts } = useAccounts()
  if (!provider) return null
  return (
    <SettingsSection title={provider.name}>
      <Loaded read={accounts} lines={1}>
        {all =>
          all.some(({ providerId }) => providerId === provider.id) ? (
            <Notice kind="good">{t('connected', { provider: provider.name })}</Notice>
          ) : (
            <ProviderButton provider={provider} next="/account" link />
          )
        }
      </Loaded>
    </SettingsSection>
  )
}

/** The provider of the server, and the reader's accounts with it and here; neither on a server without one. */
function useAccounts() {
  const provider = useSignInMethods().data?.provider
  const accounts = useQuery({ queryKey: ['accounts'], queryFn: () => answer(listAccounts()), enabled: !!provider })
  return { provider, accounts }
}
