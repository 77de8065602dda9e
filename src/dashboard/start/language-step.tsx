/** The language to translate into. */
import { useTranslation } from 'react-i18next'
import { sameIgnoringCase } from '../../bundle/names.ts'
import type { Project } from '../api/client.ts'
import { languageName } from '../i18n/languages.ts'
import { LanguageField } from '../project/language-field.tsx'
import { useLanguage } from '../project/use-language.ts'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { setSearch } from '../ui/location.ts'
import { Card } from '../ui/page.tsx'
import styles from './start.module.css'

/** Nothing is written yet: a language exists from its first text on. */
export function LanguageStep({ project: { sourceLanguage } }: { project: Project }) {
  const { t, i18n } = useTranslation('signIn')
  const { field, resolve, refuse } = useLanguage()
  const choose = () => {
    const language = resolve()
    if (language === undefined) return
    if (sameIgnoringCase(language, sourceLanguage)) return refuse(t('languageIsSource'))
    setSearch({ language }, { replace: false })
  }
  return (
    <Card>
      <p className={styles.quiet}>
        {t('languageWhy', { language: languageName(sourceLanguage, i18n.language), tag: sourceLanguage })}
      </p>
      <Form onSubmit={choose}>
        <LanguageField
          label={t('common:language')}
          hint={t('languageHint')}
          without={[sourceLanguage]}
          {...field}
          autoFocus
        />
        <Actions>
          <Button type="submit" look="primary">
            {t('goOn')}
          </Button>
        </Actions>
      </Form>
    </Card>
  )
}
