/** The OpenID provider of the server, and whether this account is connected to it. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { listAccounts } from '../api/client.ts'
import { ProviderButton } from '../sign-in/provider-button.tsx'
import { useWays } from '../sign-in/ways.ts'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'

/** Nothing on a server without a provider. */
export function Identities() {
  const { t } = useTranslation(['account', 'signIn'])
  const provider = useWays().data?.provider
  const accounts = useQuery({ queryKey: ['accounts'], queryFn: () => answer(listAccounts()), enabled: !!provider })
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
