/** Lines to copy, with a token that is made for them at a click. */
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { mintToken } from '../api/client.ts'
import { serverAddress } from '../project/address.ts'
import { announce } from '../shell/announce.ts'
import { Button } from '../ui/button.tsx'
import { focusNow } from '../ui/focus.ts'
import { useSending, Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { commandLine, curl, gitClone, i18next, NO_TOKEN, type Used } from './snippets.ts'
import styles from './start.module.css'

/** @param names what the lines are about; the tokens made here are called after the project */
export function Snippets({ names }: { names: Omit<Used, 'base' | 'token'> }) {
  const { t } = useTranslation('signIn')
  const [reading, setReading] = useState<string>()
  const [writing, setWriting] = useState<string>()
  const base = serverAddress()
  const reads = { ...names, base, token: reading ?? NO_TOKEN }
  const writes = { ...names, base, token: writing ?? NO_TOKEN }
  return (
    <>
      <Section title={t('inYourApp')}>
        <p className={styles.quiet}>{t('inYourAppWhy')}</p>
        <MakeToken scope="read" project={names.project} made={reading} onMade={setReading} />
        <Snippet label="i18next" code={i18next(reads)} />
        <Snippet label="curl" code={curl(reads)} />
      </Section>
      <Section title={t('onYourComputer')}>
        <p className={styles.quiet}>{t('onYourComputerWhy')}</p>
        <MakeToken scope="write" project={names.project} made={writing} onMade={setWriting} />
        <Snippet label={t('common:commandLine')} code={commandLine(writes)} />
        <Snippet label="git" code={gitClone(writes)} />
      </Section>
    </>
  )
}

interface MakeProps {
  scope: 'read' | 'write'
  project: string
  made: string | undefined
  onMade: (key: string) => void
}

function MakeToken({ scope, project, made, onMade }: MakeProps) {
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
