/** Giving the secret to an authenticator app, and the first code back. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { encode } from 'uqr'
import { answer } from '../api/answer.ts'
import { verifyTotp } from '../api/client.ts'
import { refusalOf } from '../sign-in/sign-in-methods.ts'
import styles from '../team/team.module.css'
import { SubmitActions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'

/** The server's answer that starts the enrolment of a second factor. */
export interface EnrolmentSecret {
  totpURI: string
  backupCodes: string[]
}

/** The QR code, and the secret as text for readers who cannot scan it. */
export function Enrolment({ of: { totpURI }, onDone }: { of: EnrolmentSecret; onDone: () => Promise<unknown> }) {
  const { t } = useTranslation(['account', 'signIn'])
  const [code, setCode] = useState('')
  const { pending, problem, send } = useSubmission({ sentence: error => refusalOf(error, t) })
  const verify = () => {
    const digits = code.replace(/\s/g, '')
    void send(async () => {
      await answer(verifyTotp({ body: { code: digits } }))
      await onDone()
    })
  }
  return (
    <>
      <p>{t('scan')}</p>
      <QrCode text={totpURI} label={t('qrCode')} />
      <Snippet label={t('secret')} code={new URL(totpURI).searchParams.get('secret') ?? totpURI} />
      <Form onSubmit={verify} native>
        <Wrong problem={problem} />
        <TextField
          label={t('firstCode')}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          autoFocus
          code
          isRequired
        />
        <SubmitActions isPending={pending}>{t('factorTurnOn')}</SubmitActions>
      </Form>
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
