/** A token for the lines to copy. */
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type MintedToken, mintToken } from '../api/client.ts'
import { DEFAULT_DAYS } from '../team/scopes.ts'
import { Button } from '../ui/button.tsx'
import { focusNow } from '../ui/focus.ts'
import { Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { useSubmission } from '../ui/use-submission.ts'

interface MakeProps {
  scope: 'read' | 'write'
  /** The slug of the only project that the token reaches. */
  project: string
  made: MintedToken | undefined
  onMade: (token: MintedToken) => void
}

/**
 * A button until the token exists. The token reaches one project and expires: an app in a browser reveals it to every
 * visitor.
 */
export function CreateToken({ scope, project, made, onMade }: MakeProps) {
  const { t, i18n } = useTranslation('signIn')
  const client = useQueryClient()
  const { pending, problem, send } = useSubmission()
  const make = () =>
    send(async () => {
      const limits = { projects: [project], expiresInDays: DEFAULT_DAYS }
      onMade(await answer(mintToken({ newToken: { name: `${project} (${scope})`, scope, ...limits } })))
      void client.invalidateQueries({ queryKey: ['tokens'] })
      return t('tokenMade')
    })
  if (made !== undefined) {
    return (
      // The focus goes here, not to the next button: a double Enter would leave a token that is displayed only once.
      <div ref={focusNow} tabIndex={-1}>
        <Notice kind="good">
          {t('tokenShownOnce')} {t('tokenLimits', { project, date: dateOf(made, i18n.language) })}
        </Notice>
      </div>
    )
  }
  return (
    <>
      <Wrong problem={problem} />
      <div>
        <Button icon={<KeyRound aria-hidden />} isPending={pending} onPress={() => void make()}>
          {scope === 'read' ? t('makeReadToken') : t('makeWriteToken')}
        </Button>
      </div>
    </>
  )
}

/** The day on which a token expires, in the language of the reader; a token of {@link CreateToken} has one. */
const dateOf = ({ expiresAt }: MintedToken, reader: string) =>
  new Intl.DateTimeFormat(reader, { dateStyle: 'long' }).format(new Date(expiresAt ?? 0))
