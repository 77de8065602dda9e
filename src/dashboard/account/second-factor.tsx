/** The second factor: codes of an authenticator app. */
import { useQueryClient } from '@tanstack/react-query'
import { Check, Download, Printer } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { encode } from 'uqr'
import { answer } from '../api/answer.ts'
import { disableTwoFactor, enableTwoFactor, generateBackupCodes, type User, verifyTotp } from '../api/client.ts'
import { VIEWER } from '../api/session.ts'
import { AUTOFILL, SubmissionForm, useFields } from '../sign-in/forms.tsx'
import styles from '../team/team.module.css'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog, SubmitActions } from '../ui/dialog.tsx'
import { focusNow } from '../ui/focus.ts'
import { TextField } from '../ui/form.tsx'
import { Badge, Notice } from '../ui/notice.tsx'
import { Card } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { CopyButton, Snippet } from '../ui/snippet.tsx'

/** The content of the dialog: the password for a task, the secret to scan, or the backup codes. */
interface DialogStep {
  doing?: 'on' | 'off' | 'codes'
  secret?: { totpURI: string; backupCodes: string[] }
  codes?: string[]
}

/** Turned on with the password and a first code; backup codes are shown once. */
export function SecondFactorSection({ user: { twoFactorEnabled } }: { user: User }) {
  const { t } = useTranslation('account')
  const client = useQueryClient()
  const [step, show] = useState<DialogStep>()
  const { doing, secret, codes } = step ?? {}
  const close = () => show(undefined)
  const changed = () => client.invalidateQueries({ queryKey: VIEWER })
  const work = {
    on: async (password: string) => {
      const secret = await answer(enableTwoFactor({ body: { password } }))
      // The reader may have closed the dialog meanwhile.
      show(open => open && { secret })
    },
    off: async (password: string) => {
      await answer(disableTwoFactor({ body: { password } }))
      await changed()
      announce(t('factorOff'))
      close()
    },
    codes: async (password: string) => {
      const { backupCodes } = await answer(generateBackupCodes({ body: { password } }))
      show({ codes: backupCodes })
    },
  }
  const words = { on: t('factorTurnOn'), off: t('factorTurnOff'), codes: t('newCodes') }
  const verified = async (codes: string[]) => {
    show({ codes })
    announce(t('factorOn'))
    await changed()
  }
  const isOnce = codes !== undefined
  return (
    <SettingsSection title={t('factor')} lead={t('factorWhy')}>
      <Card>
        <div className={styles.times}>
          {twoFactorEnabled ? (
            <>
              <Badge kind="good" mark={<Check aria-hidden />}>
                {t('factorIsOn')}
              </Badge>
              <Button small onPress={() => show({ doing: 'codes' })}>
                {words.codes}
              </Button>
              <Button small look="quiet" onPress={() => show({ doing: 'off' })}>
                {words.off}
              </Button>
            </>
          ) : (
            <Button onPress={() => show({ doing: 'on' })}>{words.on}</Button>
          )}
        </div>
      </Card>
      <Dialog title={t('factor')} isOpen={step !== undefined} onClose={close} alert={isOnce} once={isOnce}>
        {doing && <PasswordForm doIt={words[doing]} danger={doing === 'off'} onPassword={work[doing]} />}
        {secret && <Enrolment totpURI={secret.totpURI} onDone={() => verified(secret.backupCodes)} />}
        {codes && <BackupCodes codes={codes} onKept={close} />}
      </Dialog>
    </SettingsSection>
  )
}

interface PasswordFormProps {
  /** The words on the button. */
  doIt: string
  danger: boolean
  onPassword: (password: string) => Promise<unknown>
}

/** Asks for the password again before a change to the account's security. */
function PasswordForm({ doIt, danger, onPassword }: PasswordFormProps) {
  const { t } = useTranslation('account')
  const form = useFields({ password: '' }, ({ password }) => ({
    password: password === '' ? t('common:needsPassword') : '',
  }))
  return (
    <SubmissionForm form={form} onSend={() => onPassword(form.typed.password)}>
      <TextField label={t('currentPassword')} autoFocus {...AUTOFILL.password} {...form.field('password')} />
      <Actions>
        <Button type="submit" look={danger ? 'danger' : 'primary'} isPending={form.pending}>
          {doIt}
        </Button>
      </Actions>
    </SubmissionForm>
  )
}

/** The secret for an authenticator app, as a QR code and as text, and the first code back. */
function Enrolment({ totpURI, onDone }: { totpURI: string; onDone: () => Promise<unknown> }) {
  const { t } = useTranslation('account')
  const form = useFields({ code: '' })
  const verify = async () => {
    await answer(verifyTotp({ body: { code: form.typed.code.replace(/\s/g, '') } }))
    await onDone()
  }
  return (
    <>
      <p>{t('scan')}</p>
      <QrCode text={totpURI} label={t('qrCode')} />
      <Snippet label={t('secret')} code={new URL(totpURI).searchParams.get('secret') ?? totpURI} />
      <SubmissionForm form={form} onSend={verify} native>
        <TextField label={t('firstCode')} inputMode="numeric" {...AUTOFILL.code} {...form.field('code')} />
        <SubmitActions isPending={form.pending}>{t('factorTurnOn')}</SubmitActions>
      </SubmissionForm>
    </>
  )
}

/** Always dark on light: some scanners cannot read inverted codes. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 1 })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg
      className={styles.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={squares.join('')} />
    </svg>
  )
}

/** Backup codes, shown this once, to copy, download or print. */
function BackupCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { t } = useTranslation('account')
  const text = `${codes.join('\n')}\n`
  const download = () => {
    const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = address
    link.download = 'parlance-backup-codes.txt'
    link.click()
    URL.revokeObjectURL(address)
  }
  return (
    <>
      <div ref={focusNow} tabIndex={-1}>
        <Notice kind="warn">{t('codesWhy')}</Notice>
      </div>
      <ul className={styles.codes} aria-label={t('codes')}>
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.times}>
        <CopyButton text={text} label={t('copyCodes')} />
        <Button small icon={<Download aria-hidden />} onPress={download}>
          {t('common:download')}
        </Button>
        <Button small icon={<Printer aria-hidden />} onPress={() => print()}>
          {t('print')}
        </Button>
      </div>
      <Actions>
        <Button look="primary" onPress={onKept}>
          {t('kept')}
        </Button>
      </Actions>
    </>
  )
}
