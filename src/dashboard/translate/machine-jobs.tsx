/** The latest runs of machines over a project, below its languages. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { cancelJob, getJobs, type Job } from '../api/late-client.ts'
import { mayIn } from '../api/rights.ts'
import { useMember } from '../api/session.ts'
import { Done, UndoButton } from '../history/revert.tsx'
import { languageName } from '../i18n/languages.ts'
import { onChange, useLive } from '../live/live.ts'
import type { MachineJobsProps } from '../project/project-page.tsx'
import { Button } from '../ui/button.tsx'
import { afterFocus } from '../ui/focus.ts'
import { useSubmission, Wrong } from '../ui/form.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { costWords, gateWords, listed, machineFaultWords } from '../ui/machine-words.ts'
import bar from '../ui/meter.module.css'
import { Notice } from '../ui/notice.tsx'
import { Failed } from '../ui/page.tsx'
import { useAnnouncement } from '../ui/use-announcement.ts'
import { When } from '../ui/when.tsx'
import styles from './translate.module.css'

/** Runs that are shown at first. */
const FIRST = 3

/** Ms between two reads of a run, while the stream of events is away, and as a precaution while it is there. */
const POLLED_AFTER = { away: 2000, live: 15_000 }

/** Key of the query of the runs. */
export const jobsKey = (slug: string) => ['project', slug, 'jobs']

/** Whether a run may still change. */
const isUnderWay = ({ state }: Job): boolean => state === 'queued' || state === 'running'

/** The newest first. Events move the numbers; the end of a run reads it again. */
function useJobs(slug: string) {
  const client = useQueryClient()
  const isLive = useLive() === 'live'
  useEffect(
    () =>
      onChange(heard => {
        if (heard.event !== 'job' || heard.job.project !== slug) return
        const { id, state, done, of, written } = heard.job
        const known = client.getQueryData<Job[]>(jobsKey(slug))?.find(job => job.id === id)
        if (known?.state !== state) return void client.invalidateQueries({ queryKey: jobsKey(slug) })
        client.setQueryData<Job[]>(jobsKey(slug), jobs =>
          jobs?.map(job => (job.id === id ? { ...job, done, of, written } : job)),
        )
      }),
    [slug, client],
  )
  return useQuery({
    queryKey: jobsKey(slug),
    queryFn: ({ signal }) => answer(getJobs({ slug }, { signal })).then(({ jobs }) => jobs),
    refetchInterval: ({ state }) =>
      state.data?.some(isUnderWay) === true && (isLive ? POLLED_AFTER.live : POLLED_AFTER.away),
  })
}

/** Its words load later than those around it. */
export const MachineJobs = (props: MachineJobsProps) => (
  <Suspense fallback={null}>
    <Jobs {...props} />
  </Suspense>
)

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
    <section ref={own} className={`stack3 ${styles.jobs}`} aria-label={t('jobs')} tabIndex={-1}>
      <h2>{t('jobs')}</h2>
      {error && <Failed error={error} />}
      <Done slug={slug} />
      <ul className={`stack3 ${styles.list}`}>
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

interface Props {
  slug: string
  job: Job
}

/** How far a run is, or what became of it. Its texts go back as one commit, and each refused text is a link. */
function JobView({ slug, job }: Props) {
  const { t, i18n } = useTranslation('machine')
  const { who } = useMember()
  const { machine, languages, by, startedAt, state, error, fault, revisions } = job
  const names = new Intl.ListFormat(i18n.language, { type: 'conjunction' }).format(
    languages.map(language => languageName(language, i18n.language)),
  )
  const isOpen = isUnderWay(job)
  const words = isOpen ? '' : `${t(`state.${state}`)}: ${listed(resultWords(job, t, i18n.language), i18n.language)}`
  useAnnouncement(words)
  const mayUndo = revisions.length > 0 && languages.every(language => mayIn(who, 'translate', slug, language))
  return (
    <li className={`stack2 ${styles.job}`} aria-label={names}>
      <p>
        <strong>{names}</strong>{' '}
        <span className="quiet">
          <bdi>{machine}</bdi> · <bdi>{by.name}</bdi> · <When date={startedAt} />
        </span>
      </p>
      {isOpen ? <Progress slug={slug} job={job} /> : <p>{words}</p>}
      {!isOpen && error !== undefined && (
        <Notice kind="bad">
          {fault ? machineFaultWords(fault, t, i18n.language) : error} {t('goOn')}
        </Notice>
      )}
      <RefusedTexts slug={slug} job={job} />
      {!isOpen && mayUndo && (
        <div>
          <UndoButton slug={slug} revisions={revisions} subject={names} title={t('undoRun')} said={t('undone')} />
        </div>
      )}
    </li>
  )
}

function resultWords(
  { written, suggested, fromMemory, refusedCount, spent, unit }: Job,
  t: (key: string, values: { count: number }) => string,
  language: string,
): string[] {
  const counts = { written, suggested, fromMemory, refused: refusedCount }
  const some = Object.entries(counts).filter(([name, count]) => count > 0 || (name === 'written' && suggested === 0))
  const cost = costWords(spent, unit, language, count => t('characters', { count }))
  return [...some.map(([name, count]) => t(name, { count })), ...(spent > 0 ? [cost] : [])]
}

/** A bar, its numbers, and how to end it. */
function Progress({ slug, job: { id, done, of } }: Props) {
  const { t } = useTranslation('machine')
  const client = useQueryClient()
  const { pending, problem, send } = useSubmission()
  const cancel = () =>
    send(async () => {
      await answer(cancelJob({ slug, id }))
      await client.invalidateQueries({ queryKey: jobsKey(slug), exact: true })
    })
  const numbers = t('progress', { done, count: of })
  return (
    <>
      <div className={styles.progress}>
        <div
          className={bar.bar}
          role="progressbar"
          aria-label={t('progressOf')}
          aria-valuemin={0}
          aria-valuemax={Math.max(of, 1)}
          aria-valuenow={done}
          aria-valuetext={numbers}
        >
          <span className={bar.translated} style={{ inlineSize: `${of === 0 ? 0 : (done / of) * 100}%` }} />
        </div>
        <span>{numbers}</span>
        <Button small isPending={pending} onPress={() => void cancel()}>
          {t('common:cancel')}
        </Button>
      </div>
      <Wrong problem={problem} />
    </>
  )
}

/** Each text that the machine got wrong, with the reason and its place in the editor. */
function RefusedTexts({ slug, job: { refused, refusedCount } }: Props) {
  const { t, i18n } = useTranslation('machine')
  if (refused.length === 0) return null
  const languages = [...new Set(refused.map(({ language }) => language))]
  return (
    <details>
      <summary>{t('refused', { count: refusedCount })}</summary>
      <p className={styles.filters}>
        {languages.map(language => (
          <a key={language} href={`#${projectAddress(slug, language)}?is=refused`}>
            {t('refusedHere', { language: languageName(language, i18n.language) })}
          </a>
        ))}
      </p>
      <ul className={`stack2 ${styles.refused}`}>
        {refused.map(({ language, namespace, key, faults }) => (
          <li key={JSON.stringify([language, namespace, key])}>
            <a href={`#${projectAddress(slug, language, namespace, key)}`}>
              <code dir="ltr">{[language, namespace, key].join(' / ')}</code>
            </a>{' '}
            <bdi>
              <Isolated text={gateWords(faults, t)} />
            </bdi>
          </li>
        ))}
      </ul>
      {refusedCount > refused.length && (
        <p className="quiet">{t('moreRefused', { count: refusedCount - refused.length })}</p>
      )}
    </details>
  )
}
