/** A token for the lines to copy. */
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { mintToken } from '../api/client.ts'
import { announce } from '../shell/announce.ts'
import { Button } from '../ui/button.tsx'
import { focusNow } from '../ui/focus.ts'
import { useSending, Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'

interface MakeProps {
  scope: 'read' | 'write'
  project: string
  made: string | undefined
  onMade: (key: string) => void
}

/** A button until it is made. */
export function MakeToken({ scope, project, made, onMade }: MakeProps) {
  const { t } = useTranslation('signIn')
  const client = useQueryClient()
  const { pending, problem, send } = useSending()
  const make = () =>
    send(async () => {
      const { key } = await answer(mintToken({ newToken: { name: `${project} (${scope})`, scope } }))
      onMade(key)
      announce(t('tokenMade'))
      void client.invalidateQueries({ queryKey: ['tokens'] })
    })
  if (made !== undefined) {
    return (
      // Not what stands before it: Enter pressed twice would lead away from a token that is shown this once.
      <div ref={focusNow} tabIndex={-1}>
        <Notice kind="good">{t('tokenShownOnce')}</Notice>
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
