/** Words of the languages that a member translates. */
import { useTranslation } from 'react-i18next'
import type { LanguageRight } from '../api/client.ts'
import { listedLanguages, tagsIn, wrongTag } from './listed-languages.ts'

/** See the file. */
export function useLanguageWords() {
  const { t, i18n } = useTranslation('team')
  return {
    /** Rights in a few words. */
    wordsOf(rights: readonly LanguageRight[] | null): string {
      const listed = listedLanguages(rights)
      if (listed === undefined) return t('otherRights')
      if (listed.length === 0) return t('allLanguages')
      return new Intl.ListFormat(i18n.language, { type: 'unit' }).format(listed)
    },
    /** Why a typed list is none; '' for a right one. */
    faultOf(typed: string): string {
      const tag = wrongTag(tagsIn(typed))
      return tag === undefined ? '' : t('noTag', { tag })
    },
  }
}
