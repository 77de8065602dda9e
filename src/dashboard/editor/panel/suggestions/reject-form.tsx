/** The question before a rejection: an optional reason. */
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { Form } from '../../../ui/form.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import styles from '../contributions.module.css'

/** Characters of a reason that the server stores. */
const MOST = 200

interface Props {
  author: string
  isPending: boolean
  onReject: (reason: string) => void
  onClose: () => void
}

/** Its field gets the focus; Escape closes it. */
export function RejectForm({ author, isPending, onReject, onClose }: Props) {
  const { t } = useTranslation('suggestions')
  const [reason, setReason] = useState('')
  const own = useRef<HTMLDivElement>(null)
  useEffect(() => own.current?.querySelector('input')?.focus(), [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its field
    <div
      ref={own}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
    >
      <Form label={t('rejectOf', { author })} className={styles.form} onSubmit={() => onReject(reason.trim())}>
        <TextField label={t('reason')} hint={t('reasonHint')} value={reason} onChange={setReason} maxLength={MOST} />
        <div className={styles.actions}>
          <Button type="submit" small look="primary" isPending={isPending}>
            {t('reject')}
          </Button>
          <Button small onPress={onClose}>
            {t('common:cancel')}
          </Button>
        </div>
      </Form>
    </div>
  )
}
