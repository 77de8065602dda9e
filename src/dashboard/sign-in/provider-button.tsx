/** Signing in by the OpenID provider. */
import { LogIn } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { linkProvider, type SignInProvider, signInByProvider } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Wrong } from '../ui/form.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { storeNext } from './arrival.ts'
import styles from './entry.module.css'
import { refusalOf } from './sign-in-methods.ts'

interface Props {
  provider: SignInProvider
  /** Where to go afterwards. */
  next: string
  /** Links the provider to the account of this session instead. */
  link?: boolean
}

/** Leaves for the provider, which redirects back. */
export function ProviderButton({ provider, next, link }: Props) {
  const { t } = useTranslation('signIn')
  const { pending, problem, send } = useSubmission({ sentence: error => refusalOf(error, t) })
  const leave = () =>
    send(async () => {
      const { pathname } = location
      const body = { provider: provider.id, callbackURL: pathname, errorCallbackURL: pathname }
      const { url } = await answer(link ? linkProvider({ body }) : signInByProvider({ body }))
      storeNext(next)
      location.assign(url)
    })
  return (
    <>
      <Button icon={<LogIn aria-hidden />} isPending={pending} onPress={() => void leave()}>
        {link ? t('linkProvider', { provider: provider.name }) : t('byProvider', { provider: provider.name })}
      </Button>
      <Wrong problem={problem} />
    </>
  )
}

/** The provider as the other way in, below a form; nothing on a server without one. */
export function OrProvider({ provider, next }: { provider: SignInProvider | null | undefined; next: string }) {
  const { t } = useTranslation('signIn')
  if (!provider) return null
  return (
    <div className="stack">
      <p className={styles.or}>{t('or')}</p>
      <ProviderButton provider={provider} next={next} />
    </div>
  )
}
