/** The progress of the first run. */
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import styles from './steps.module.css'

/** The steps of the first run, in order. */
export const START_STEPS = ['account', 'organization', 'project', 'language', 'text', 'translation', 'use'] as const
export type StartStep = (typeof START_STEPS)[number]

/** All steps with the present one marked. */
export function Steps({ at }: { at: StartStep }) {
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
  const here = START_STEPS.indexOf(at)
  return (
    <ol className={styles.steps} aria-label={t('steps')}>
      {START_STEPS.map((step, index) => (
        <li key={step} aria-current={index === here ? 'step' : undefined} data-done={index < here || undefined}>
          <span className={styles.mark} aria-hidden>
            {index < here ? <Check /> : index + 1}
          </span>
          <span className={styles.stepName}>
            {names[step]}
            {index < here && <span className="hidden"> {t('stepDone')}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
