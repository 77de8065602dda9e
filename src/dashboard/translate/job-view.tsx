/** A run of a machine: how far it is, or what became of it. */
import { useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { mayIn } from '../api/language-permit.ts'
import { cancelJob, type Job } from '../api/late-client.ts'
import { useMember } from '../api/session.ts'
import { Undo } from '../history/undo.tsx'
import { languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { costWords, listed } from '../ui/cost-words.ts'
import { Wrong } from '../ui/form.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { gateWords, machineFaultWords } from '../ui/machine-words.ts'
import bar from '../ui/meter.module.css'
import { Notice } from '../ui/notice.tsx'
import { useAnnouncement } from '../ui/use-announcement.ts'
import { useSubmission } from '../ui/use-submission.ts'
import { When } from '../ui/when.tsx'
import styles from './translate.module.css'
import { isUnderWay, jobsKey } from './use-jobs.ts'

interface Props {
  slug: string
  job: Job
}

/** Its progress can be cancelled, its texts go back as one commit, and each refused text is a link. */
export function JobView({ slug, job }: Props) {
  const { t, i18n } = useTranslation('machine')
  const { who } = useMember()
  const [isUndoing, setUndoing] = useState(false)
  const { machine, languages, by, startedAt, state, error, fault, revisions } = job
  const names = new Intl.ListFormat(i18n.language, { type: 'conjunction' }).format(
    languages.map(language => languageName(language, i18n.language)),
  )
  const isOpen = isUnderWay(job)
  const words = isOpen ? '' : `${t(`state.${state}`)}: ${listed(resultWords(job, t, i18n.language), i18n.language)}`
  useAnnouncement(words)
  const mayUndo = revisions.length > 0 && languages.every(language => mayIn(who, 'translate', slug, language))
  return (
    <li className={styles.job} aria-label={names}>
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
          <Button small icon={<Undo2 aria-hidden />} onPress={() => setUndoing(true)}>
            {t('undoRun')}
          </Button>
        </div>
      )}
      {isUndoing && (
        <Undo
          slug={slug}
          revisions={revisions}
          subject={names}
          title={t('undoRun')}
          said={t('undone')}
          onClose={() => setUndoing(false)}
        />
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
      <ul className={styles.refused}>
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
