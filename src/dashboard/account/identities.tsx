/** The OpenID provider of the server, and whether this account is connected to it. */
import { useTranslation } from 'react-i18next'
import { ProviderButton } from '../sign-in/provider-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import { useAccounts } from './use-accounts.ts'

/** Nothing on a server without a provider. */
export function Identities() {
  const { t } = useTranslation(['account', 'signIn'])
  const { provider, accounts } = useAccounts()
  if (!provider) return null
  return (
    <Section title={provider.name}>
      <Loaded read={accounts} lines={1}>
        {all =>
          all.some(({ providerId }) => providerId === provider.id) ? (
            <Notice kind="good">{t('connected', { provider: provider.name })}</Notice>
          ) : (
            <ProviderButton provider={provider} next="/account" link />
          )
        }
      </Loaded>
    </Section>
  )
}
