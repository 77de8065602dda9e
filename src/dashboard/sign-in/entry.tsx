/** The frame around the pages for readers who are not signed in, and the steps of the first run above it. */
import { Check, Languages } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { DASHBOARD_LANGUAGES, type DashboardLanguage, speak } from '../i18n/start.ts'
import { useTitle } from '../ui/page.tsx'
import styles from './entry.module.css'

interface EntryProps {
  title: string
  lead?: ReactNode
  /** Below the card: the other ways. */
  below?: ReactNode
  /** At the header's end, before the choice of a language. */
  aside?: ReactNode
  /** Above the title: how far one has come. */
  above?: ReactNode
  children: ReactNode
}

export function Entry({ title, lead, below, aside, above, children }: EntryProps) {
  const { t, i18n } = useTranslation()
  useTitle(title)
  return (
    <>
      <header className={`row3 ${styles.header}`}>
        <a className={`row2 ${styles.brand}`} href="#/">
          <img src="./icon.svg" alt="" width="28" height="28" />
          Parlance
        </a>
        <div className="row2">
          {aside}
          <label className={`row1 ${styles.spoken}`}>
            <Languages aria-hidden />
            <select
              aria-label={t('pageLanguage')}
              value={i18n.language}
              onChange={event => void speak(i18n, event.target.value as DashboardLanguage)}
            >
              {Object.entries(DASHBOARD_LANGUAGES).map(([tag, name]) => (
                <option key={tag} value={tag} lang={tag}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
      </header>
      <main className={`stack4 ${styles.main}`} tabIndex={-1}>
        {above}
        <div className={styles.card}>
          <div>
            <h1>{title}</h1>
            {lead !== undefined && <p className={styles.lead}>{lead}</p>}
          </div>
          {children}
        </div>
        {below && <div className={`stack2 ${styles.below}`}>{below}</div>}
      </main>
    </>
  )
}

/** The steps of the first run, in order, with their names. */
const STEP_WORDS = {
  account: 'stepAccount',
  organization: 'stepOrganization',
  project: 'stepProject',
  language: 'stepLanguage',
  text: 'stepText',
  translation: 'stepTranslation',
  use: 'stepUse',
} as const
export type StartStep = keyof typeof STEP_WORDS
export const START_STEPS = Object.keys(STEP_WORDS) as StartStep[]

interface StepsProps {
  at: StartStep
  /** The furthest step that was reached; by default the present one. */
  reached?: StartStep
  /** The address of a reached step; undefined if one cannot return to it. */
  addressOf?: (step: StartStep) => string | undefined
}

/** All steps with the present one marked. Reached steps are links. */
export function Steps({ at, reached = at, addressOf }: StepsProps) {
  const { t } = useTranslation('signIn')
  const end = START_STEPS.indexOf(reached)
  return (
    <ol className={styles.steps} aria-label={t('steps')}>
      {START_STEPS.map((step, index) => {
        const isDone = index < end && step !== at
        const address = step === at || index > end ? undefined : addressOf?.(step)
        const content = (
          <>
            <span className={styles.mark} aria-hidden>
              {isDone ? <Check /> : index + 1}
            </span>
            <span className={styles.stepName}>
              {t(STEP_WORDS[step])}
              {isDone && <span className="hidden"> {t('stepDone')}</span>}
            </span>
          </>
        )
        return (
          <li key={step} aria-current={step === at ? 'step' : undefined} data-done={isDone || undefined}>
            {address === undefined ? content : <a href={`#${address}`}>{content}</a>}
          </li>
        )
      })}
    </ol>
  )
}
