/** Which two states are compared. */
import { ArrowLeftRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { stateOf } from '../api/state-of.ts'
import { Button } from '../ui/button.tsx'
import { ComboField } from '../ui/combo-field.tsx'
import { Form } from '../ui/form.tsx'
import { setSearch } from '../ui/location.ts'
import { earlierDays } from './earlier-days.ts'
import styles from './history.module.css'
import { useReleases } from './use-history.ts'

/** A field for each state. Its value goes to the address. */
export function Compared({ slug, ...chosen }: { slug: string; from: string; to: string }) {
  const { t, i18n } = useTranslation('history')
  const [from, setFrom] = useState(chosen.from)
  const [to, setTo] = useState(chosen.to)
  // The fields follow the address and do not lose the focus when they are submitted.
  const [shown, show] = useState(chosen)
  if (shown.from !== chosen.from || shown.to !== chosen.to) {
    show(chosen)
    setFrom(chosen.from)
    setTo(chosen.to)
  }
  const { data: releases = [] } = useReleases(slug)
  const named = releases.map(({ name, createdAt }) => ({ id: name, label: name, note: createdAt.slice(0, 10) }))
  const items = [...named, ...earlierDays(i18n.language)]
  return (
    <Form
      className={`${styles.filters} ${styles.states}`}
      onSubmit={() => setSearch({ from: stateOf(from), to: stateOf(to) })}
      native
    >
      <ComboField label={t('from')} hint={t('stateHint')} items={items} value={from} onChange={setFrom} />
      <ComboField label={t('to')} hint={t('toHint')} items={items} value={to} onChange={setTo} />
      <Button look="primary" type="submit" icon={<ArrowLeftRight aria-hidden />} isDisabled={from.trim() === ''}>
        {t('common:compare')}
      </Button>
    </Form>
  )
}
