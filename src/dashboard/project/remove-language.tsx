/** The end of a language: its tag has to be typed first. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { deleteLanguage } from '../api/client.ts'
import { languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/confirm.tsx'

interface Props {
  slug: string
  /** BCP 47; undefined while no language is to go. */
  language: string | undefined
  onClose: () => void
}

/** One commit, which the project's history offers to undo. */
export function RemoveLanguage({ slug, language = '', onClose }: Props) {
  const { t, i18n } = useTranslation('projects')
  const client = useQueryClient()
  const names = { language: languageName(language, i18n.language), tag: language }
  return (
    <Confirm
      title={t('removeLanguageNamed', names)}
      doIt={t('removeLanguage')}
      typed={language}
      isOpen={language !== ''}
      onClose={onClose}
      onConfirm={async () => {
        await answer(deleteLanguage({ slug, language }))
        announce(t('languageRemoved', names))
        await client.invalidateQueries({ queryKey: ['project', slug] })
      }}
    >
      <p>{t('removeLanguageBack')}</p>
    </Confirm>
  )
}
