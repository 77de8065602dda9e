/** What two states of a project differ in. */
import { ArrowLeftRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { stateOf } from '../api/states.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { setSearch } from '../shell/location.ts'
import { Button } from '../ui/button.tsx'
import { ComboField } from '../ui/combo.tsx'
import { Form } from '../ui/form.tsx'
import { DiffPages } from './diff-pages.tsx'
import { Done } from './done.tsx'
import styles from './history.module.css'
import { RestoreButton } from './restore.tsx'
import { useReleases } from './use-history.ts'

/** Releases are offered; any revision or time can be typed. The choice stands in the address. */
export default function ComparePage() {
  const { t } = useTranslation('history')
  const { slug = '' } = useParams()
  const search = new URLSearchParams(useSearch())
  const [from, to] = [search.get('from') ?? '', search.get('to') ?? '']
  return (
    <ProjectFrame slug={slug} title={t('common:compare')}>
      <Choice slug={slug} from={from} to={to} />
      <Done slug={slug} />
      {from !== '' && (
        <DiffPages slug={slug} level={2} from={from} {...(to !== '' && { to })}>
          <span>
            <RestoreButton slug={slug} at={from} wanted={{}} label={t('restoreNamed', { name: from })} />
          </span>
        </DiffPages>
      )}
    </ProjectFrame>
  )
}

function Choice({ slug, ...chosen }: { slug: string; from: string; to: string }) {
  const { t } = useTranslation('history')
  const [from, setFrom] = useState(chosen.from)
  const [to, setTo] = useState(chosen.to)
  // The fields follow the address, and keep the focus of whoever sends them.
  const [shown, show] = useState(chosen)
  if (shown.from !== chosen.from || shown.to !== chosen.to) {
    show(chosen)
    setFrom(chosen.from)
    setTo(chosen.to)
  }
  const { data: releases = [] } = useReleases(slug)
  const items = releases.map(({ name, createdAt }) => ({ id: name, label: name, note: createdAt.slice(0, 10) }))
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
