/** The second step of a sign-in: the app's code, or a backup code. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { verifyBackupCode, verifyTotp } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import styles from './entry.module.css'
import { refusalOf } from './sign-in-methods.ts'

/** @param onDone the session has begun; @param onBack begins again with the password */
export function CodeForm({ onDone, onBack }: { onDone: () => Promise<unknown>; onBack?: () => void }) {
  const { t } = useTranslation('signIn')
  const [backup, setBackup] = useState(false)
  const [code, setCode] = useState('')
  const { pending, problem, send, forget } = useSubmission({ sentence: error => refusalOf(error, t) })
  const verify = () => {
    const body = { code: code.replace(/\s/g, '') }
    void send(async () => {
      await answer(backup ? verifyBackupCode({ body }) : verifyTotp({ body }))
      await onDone()
    })
  }
  const other = () => {
    setBackup(!backup)
    setCode('')
    forget()
  }
  return (
    <Form onSubmit={verify} native>
      <Wrong problem={problem} />
      <TextField
        key={String(backup)}
        label={backup ? t('backupCode') : t('code')}
        hint={backup ? t('backupCodeHint') : t('codeHint')}
        value={code}
        onChange={setCode}
        inputMode={backup ? 'text' : 'numeric'}
        autoComplete="one-time-code"
        autoFocus
        code
        isRequired
      />
      <Button type="submit" look="primary" isPending={pending}>
        {t('confirmCode')}
      </Button>
      <div className={styles.links}>
        <Button look="quiet" small onPress={other}>
          {backup ? t('useApp') : t('useBackupCode')}
        </Button>
        {onBack && (
          <Button look="quiet" small onPress={onBack}>
            {t('beginAgain')}
          </Button>
        )}
      </div>
    </Form>
  )
}
