/** How far the first run has come. */
import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import styles from './start.module.css'

/** In their order. */
export const STEPS = ['account', 'organization', 'project', 'language', 'text', 'translation', 'use'] as const
export type Step = (typeof STEPS)[number]

/** All steps with the present one marked. */
export function Steps({ at }: { at: Step }) {
  const { t } = useTranslation('signIn')
  const names: Record<Step, string> = {
    account: t('stepAccount'),
    organization: t('stepOrganization'),
    project: t('stepProject'),
    language: t('stepLanguage'),
    text: t('stepText'),
    translation: t('stepTranslation'),
    use: t('stepUse'),
  }
  const here = STEPS.indexOf(at)
  return (
    <ol className={styles.steps} aria-label={t('steps')}>
      {STEPS.map((step, index) => (
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
