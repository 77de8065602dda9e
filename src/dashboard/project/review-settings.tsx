/** Which translations of a project need a review. */
import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { changeProject, type LanguageReview, type Project } from '../api/client.ts'
import { useManifest } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { SubmitActions } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Card } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { Loaded } from '../ui/state.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import styles from './review-settings.module.css'

/** By language; null ends its review. */
type ReviewChanges = Record<string, LanguageReview | null>

const WITHOUT_FOUR_EYES: LanguageReview = { fourEyes: false }

/** A section with the languages of the project, and with those that have a review and no text yet. */
export function ReviewSettings({ project }: { project: Project }) {
  const { t } = useTranslation('work')
  const manifest = useManifest(project.slug)
  return (
    <SettingsSection title={t('reviewSettings.title')} lead={t('reviewSettings.why')}>
      <Card>
        <Loaded read={manifest}>
          {({ languages }) => {
            const targets = [...new Set([...languages, ...Object.keys(project.review ?? {})])]
              .filter(language => language !== project.sourceLanguage)
              .sort()
            return targets.length === 0 ? (
              <p className="quiet">{t('reviewSettings.noLanguages')}</p>
            ) : (
              <ReviewForm project={project} languages={targets} />
            )
          }}
        </Loaded>
      </Card>
    </SettingsSection>
  )
}

function ReviewForm({ project: { slug, review: stored = {} }, languages }: { project: Project; languages: string[] }) {
  const { t } = useTranslation('work')
  const client = useQueryClient()
  const [changed, setChanged] = useState<ReviewChanges>({})
  const { pending, problem, send } = useSubmission()
  const choose = (language: string, review: LanguageReview | null) => {
    const { [language]: _, ...others } = changed
    const isStored = (stored[language]?.fourEyes ?? null) === (review?.fourEyes ?? null)
    setChanged(isStored ? others : { ...others, [language]: review })
  }
  const save = () =>
    send(async () => {
      await answer(changeProject({ slug, projectChange: { review: changed } }))
      await client.invalidateQueries({ queryKey: ['projects'] })
      setChanged({})
      return t('reviewSettings.saved')
    })
  return (
    <Form onSubmit={save}>
      <div>
        {languages.map(language => (
          <LanguageRow
            key={language}
            language={language}
            review={language in changed ? changed[language]! : (stored[language] ?? null)}
            onChange={review => choose(language, review)}
          />
        ))}
      </div>
      <p className="quiet">{t('reviewSettings.fourEyesWhy')}</p>
      <SubmitActions problem={problem} isPending={pending} isDisabled={Object.keys(changed).length === 0}>
        {t('common:save')}
      </SubmitActions>
    </Form>
  )
}

interface RowProps {
  language: string
  review: LanguageReview | null
  onChange: (review: LanguageReview | null) => void
}

function LanguageRow({ language, review, onChange }: RowProps) {
  const { t, i18n } = useTranslation('work')
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className={styles.language}>
      <span id={id} className={styles.name}>
        {languageName(language, i18n.language)} <code className="quiet">{language}</code>
      </span>
      <Checkbox isSelected={review !== null} onChange={isOn => onChange(isOn ? WITHOUT_FOUR_EYES : null)}>
        {t('reviewSettings.on')}
      </Checkbox>
      <Checkbox
        isSelected={review?.fourEyes === true}
        isDisabled={review === null}
        onChange={fourEyes => onChange({ fourEyes })}
      >
        {t('reviewSettings.fourEyes')}
      </Checkbox>
    </div>
  )
}
