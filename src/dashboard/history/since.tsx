/** Chooses all that one person did since a time. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import styles from './history.module.css'
import { commitsSince, type HistoryFilter, MOST_TOGETHER } from './use-history.ts'

/** The beginning of today here, as a field of date and time has it. */
function today(): string {
  const now = new Date()
  const two = (number: number) => String(number).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}T00:00`
}

interface Props {
  slug: string
  wanted: HistoryFilter
  onChoose: (revisions: readonly string[]) => void
}

/** The field for the time, at first the beginning of today, and its button. */
export function Since({ slug, wanted, onChoose }: Props) {
  const { t } = useTranslation('history')
  const [time, setTime] = useState(today)
  const [note, setNote] = useState('')
  const { pending, problem, send } = useSubmission()
  const choose = () =>
    send(async () => {
      setNote('')
      const found = await commitsSince(slug, wanted, new Date(time).getTime())
      onChoose(found.map(({ revision }) => revision))
      announce(t('chosen', { count: found.length }))
      if (found.length === 0) setNote(t('noneSince'))
      if (found.length === MOST_TOGETHER) setNote(t('mostChosen', { count: MOST_TOGETHER }))
    })
  return (
    <>
      <Form className={styles.filters} onSubmit={choose} native>
        <TextField label={t('since')} type="datetime-local" value={time} onChange={setTime} isRequired />
        <Button type="submit" isPending={pending} isDisabled={time === ''}>
          {t('chooseAll')}
        </Button>
      </Form>
      {note !== '' && <Notice>{note}</Notice>}
      <Wrong problem={problem} />
    </>
  )
}
