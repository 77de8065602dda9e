/** The second factor: codes of an authenticator app. */
import { useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { disableTwoFactor, enableTwoFactor, generateBackupCodes, type User } from '../api/client.ts'
import { VIEWER } from '../api/session.ts'
import styles from '../team/team.module.css'
import { announce } from '../ui/announce.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Card } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { BackupCodes } from './backup-codes.tsx'
import { Enrolment, type EnrolmentSecret } from './enrolment.tsx'
import { PasswordForm } from './password-form.tsx'

type Doing = 'on' | 'off' | 'codes'

/** Turned on with the password and a first code; backup codes are shown once. */
export function SecondFactorSection({ user: { twoFactorEnabled } }: { user: User }) {
  const { t } = useTranslation('account')
  const client = useQueryClient()
  const [doing, setDoing] = useState<Doing>()
  const [enrolling, setEnrolling] = useState<EnrolmentSecret>()
  const [codes, setCodes] = useState<readonly string[]>()
  const close = () => {
    setDoing(undefined)
    setEnrolling(undefined)
    setCodes(undefined)
  }
  const changed = () => client.invalidateQueries({ queryKey: VIEWER })
  const work: Record<Doing, (password: string) => Promise<unknown>> = {
    on: async password => {
      const { totpURI, backupCodes } = await answer(enableTwoFactor({ body: { password } }))
      setEnrolling({ totpURI, backupCodes })
    },
    off: async password => {
      await answer(disableTwoFactor({ body: { password } }))
      await changed()
      announce(t('factorOff'))
      close()
    },
    codes: async password => setCodes((await answer(generateBackupCodes({ body: { password } }))).backupCodes),
  }
  const words = { on: t('factorTurnOn'), off: t('factorTurnOff'), codes: t('newCodes') }
  const verified = async () => {
    setCodes(enrolling?.backupCodes)
    setEnrolling(undefined)
    announce(t('factorOn'))
    await changed()
  }
  return (
    <SettingsSection title={t('factor')} lead={t('factorWhy')}>
      <Card>
        <div className={styles.times}>
          {twoFactorEnabled ? (
            <>
              <Badge kind="good" mark={<Check aria-hidden />}>
                {t('factorIsOn')}
              </Badge>
              <Button small onPress={() => setDoing('codes')}>
                {words.codes}
              </Button>
              <Button small look="quiet" onPress={() => setDoing('off')}>
                {words.off}
              </Button>
            </>
          ) : (
            <Button onPress={() => setDoing('on')}>{words.on}</Button>
          )}
        </div>
      </Card>
      <Dialog
        title={t('factor')}
        isOpen={doing !== undefined}
        onClose={close}
        alert={codes !== undefined}
        once={codes !== undefined}
      >
        {codes ? (
          <BackupCodes codes={codes} onKept={close} />
        ) : enrolling ? (
          <Enrolment of={enrolling} onDone={verified} />
        ) : (
          doing && <PasswordForm doIt={words[doing]} danger={doing === 'off'} onPassword={work[doing]} />
        )}
      </Dialog>
    </SettingsSection>
  )
}
