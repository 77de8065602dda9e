/** The differences between two states of a project. */
import { ArrowLeftRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { stateOf } from '../api/state-of.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { Button } from '../ui/button.tsx'
import { ComboField } from '../ui/combo-field.tsx'
import { Form } from '../ui/form.tsx'
import { setSearch } from '../ui/location.ts'
import { DiffPages } from './changes.tsx'
import styles from './history.module.css'
import { Done, RestoreButton } from './revert.tsx'
import { useReleases } from './use-history.ts'

/**
 * The fields suggest releases and days, and accept any revision or time. The choice is part of the address; without one
 * it is the newest release against now, or a week ago where there is none.
 */
export default function ComparePage() {
  const { t } = useTranslation('history')
  const { slug = '' } = useParams()
  const search = new URLSearchParams(useSearch())
  const releases = useReleases(slug)
  const first = releases.data && (releases.data[0]?.name ?? daysAgo(7))
  const [from, to] = [search.get('from') ?? first ?? '', search.get('to') ?? '']
  return (
    <ProjectFrame slug={slug} title={t('common:compare')}>
      <Compared slug={slug} from={from} to={to} />
      <Done slug={slug} />
      {from !== '' && (
        <DiffPages slug={slug} level={2} from={from} to={to || undefined}>
          <span>
            <RestoreButton slug={slug} at={from} label={t('restoreNamed', { name: from })} />
          </span>
        </DiffPages>
      )}
    </ProjectFrame>
  )
}

/** A field for each state. Its value goes to the address. */
function Compared({ slug, ...chosen }: { slug: string; from: string; to: string }) {
  const { t, i18n } = useTranslation('history')
  const address = `${chosen.from} ${chosen.to}`
  // What is typed belongs to one address: the fields follow the next one, and their focus stays.
  const [typed, setTyped] = useState({ address, ...chosen })
  const { from, to } = typed.address === address ? typed : chosen
  const { data: releases = [] } = useReleases(slug)
  const relative = new Intl.RelativeTimeFormat(i18n.language)
  const items = [
    ...releases.map(({ name, createdAt }) => ({ id: name, label: name, note: createdAt.slice(0, 10) })),
    ...DAYS.map(([unit, days]) => ({ id: daysAgo(days), label: relative.format(-1, unit), note: daysAgo(days) })),
  ]
  return (
    <Form
      className={`${styles.filters} ${styles.states}`}
      onSubmit={() => setSearch({ from: stateOf(from), to: stateOf(to) })}
      native
    >
      <ComboField
        label={t('from')}
        hint={t('stateHint')}
        items={items}
        value={from}
        onChange={from => setTyped({ address, from, to })}
      />
      <ComboField
        label={t('to')}
        hint={t('toHint')}
        items={items}
        value={to}
        onChange={to => setTyped({ address, from, to })}
      />
      <Button look="primary" type="submit" icon={<ArrowLeftRight aria-hidden />} isDisabled={from.trim() === ''}>
        {t('common:compare')}
      </Button>
    </Form>
  )
}

/** Days that a comparison can start with. */
const DAYS = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
] as const

/** A date in UTC, as the API reads it. */
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
