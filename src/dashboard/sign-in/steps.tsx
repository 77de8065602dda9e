/** The progress of the first run. */
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import styles from './steps.module.css'

/** The steps of the first run, in order. */
export const START_STEPS = ['account', 'organization', 'project', 'language', 'text', 'translation', 'use'] as const
export type StartStep = (typeof START_STEPS)[number]

interface Props {
  at: StartStep
  /** The furthest step that was reached; by default the present one. */
  reached?: StartStep
  /** The address of a reached step; undefined if one cannot return to it. */
  addressOf?: (step: StartStep) => string | undefined
}

/** All steps with the present one marked. Reached steps are links. */
export function Steps({ at, reached = at, addressOf = () => undefined }: Props) {
  const { t } = useTranslation('signIn')
  const names: Record<StartStep, string> = {
    account: t('stepAccount'),
    organization: t('stepOrganization'),
    project: t('stepProject'),
    language: t('stepLanguage'),
    text: t('stepText'),
    translation: t('stepTranslation'),
    use: t('stepUse'),
  }
  const end = START_STEPS.indexOf(reached)
  return (
    <ol className={styles.steps} aria-label={t('steps')}>
      {START_STEPS.map((step, index) => {
        const isDone = index < end && step !== at
        const address = step === at || index > end ? undefined : addressOf(step)
        const content = (
          <>
            <span className={styles.mark} aria-hidden>
              {isDone ? <Check /> : index + 1}
            </span>
            <span className={styles.stepName}>
              {names[step]}
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
