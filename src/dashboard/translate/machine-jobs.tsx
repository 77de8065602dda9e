/** The latest runs of machines over a project, below its languages. */
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Done } from '../history/done.tsx'
import type { MachineJobsProps } from '../project/machine-parts.ts'
import { Button } from '../ui/button.tsx'
import { afterFocus } from '../ui/focus.ts'
import { Failed } from '../ui/state.tsx'
import { JobView } from './job-view.tsx'
import styles from './translate.module.css'
import { useJobs } from './use-jobs.ts'

/** Runs that are shown at first. */
const FIRST = 3

/** Its words load later than those around it. */
export function MachineJobs(props: MachineJobsProps) {
  return (
    <Suspense fallback={null}>
      <Jobs {...props} />
    </Suspense>
  )
}

/** Nothing before the first run. */
function Jobs({ slug, started }: MachineJobsProps) {
  const { t } = useTranslation('machine')
  const { data: jobs = [], error } = useJobs(slug)
  const [showsAll, showAll] = useState(false)
  const own = useRef<HTMLElement>(null)
  const hasSome = jobs.length > 0
  useEffect(() => {
    if (started > 0 && hasSome) afterFocus(() => own.current?.focus())
  }, [started, hasSome])
  if (!hasSome && !error) return null
  return (
    <section ref={own} className={styles.jobs} aria-label={t('jobs')} tabIndex={-1}>
      <h2>{t('jobs')}</h2>
      {error && <Failed error={error} />}
      <Done slug={slug} />
      <ul className={styles.list}>
        {jobs.slice(0, showsAll ? undefined : FIRST).map(job => (
          <JobView key={job.id} slug={slug} job={job} />
        ))}
      </ul>
      {jobs.length > FIRST && !showsAll && (
        <Button small onPress={() => showAll(true)}>
          {t('allJobs', { count: jobs.length })}
        </Button>
      )}
    </section>
  )
}
