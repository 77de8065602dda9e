/** Chooses all that one person did since a time. */
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { problemOf } from '../api/sentence.ts'
import { announce } from '../shell/announce.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './history.module.css'
import { commitsSince, MOST_TOGETHER, type Wanted } from './use-history.ts'

/** The beginning of today here, as a field of date and time has it. */
function today(): string {
  const now = new Date()
  const two = (number: number) => String(number).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}T00:00`
}

interface Props {
  slug: string
  wanted: Wanted
  onChoose: (revisions: readonly string[]) => void
}

/** A time, from the beginning of today. */
export function Since({ slug, wanted, onChoose }: Props) {
  const { t } = useTranslation('history')
  const [time, setTime] = useState(today)
  const [pending, setPending] = useState(false)
  const [told, tell] = useState('')
  const [problem, setProblem] = useState('')
  const choose = async () => {
    setPending(true)
    setProblem('')
    tell('')
    try {
      const found = await commitsSince(slug, wanted, new Date(time).getTime())
      onChoose(found.map(({ revision }) => revision))
      announce(t('chosen', { count: found.length }))
      if (found.length === 0) tell(t('noneSince'))
      if (found.length === MOST_TOGETHER) tell(t('mostChosen', { count: MOST_TOGETHER }))
    } catch (error) {
      setProblem(problemOf(error, t))
    } finally {
      setPending(false)
    }
  }
  return (
    <>
      <Form
        className={styles.filters!}
        onSubmit={event => {
          event.preventDefault()
          void choose()
        }}
      >
        <TextField label={t('since')} type="datetime-local" value={time} onChange={setTime} isRequired />
        <Button type="submit" isPending={pending} isDisabled={time === ''}>
          {t('chooseAll')}
        </Button>
      </Form>
      {told !== '' && <Notice>{told}</Notice>}
      {problem !== '' && <Notice kind="bad">{problem}</Notice>}
    </>
  )
}
