/** Begins a language. */
import { useTranslation } from 'react-i18next'
import { sameIgnoringCase } from '../../bundle/names.ts'
import type { Manifest } from '../api/client.ts'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { LanguageField } from './language-field.tsx'
import { useLanguage } from './use-language.ts'

interface Props {
  slug: string
  manifest: Manifest
  isOpen: boolean
  onClose: () => void
}

/**
 * Asks for a tag and opens the editor. A language exists from its first text on, as a bundle without texts has no
 * file.
 */
export function AddLanguage({ slug, manifest, isOpen, onClose }: Props) {
  const { t } = useTranslation('projects')
  const { field, resolve, refuse } = useLanguage()
  const add = () => {
    const language = resolve()
    if (language === undefined) return
    const there = manifest.languages.find(other => sameIgnoringCase(other, language))
    if (there !== undefined) return refuse(t('languageThere', { tag: there }))
    onClose()
    go(projectAddress(slug, language))
  }
  return (
    <Dialog title={t('addLanguage')} isOpen={isOpen} onClose={onClose}>
      <Form onSubmit={add} native>
        <LanguageField
          label={t('common:language')}
          hint={t('tagHint')}
          without={manifest.languages}
          {...field}
          autoFocus
        />
        <Notice>{t('languageFrom')}</Notice>
        <SubmitActions isDisabled={field.value.trim() === ''} onCancel={onClose}>
          {t('translate')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}
