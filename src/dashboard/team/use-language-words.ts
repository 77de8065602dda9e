/** Words of the languages that a member works on, and of the level there. */
import { useTranslation } from 'react-i18next'
import type { LanguageRight } from '../api/client.ts'
import { isolated } from '../ui/isolated.tsx'
import { listedRight, tagsIn, wrongTag } from './listed-right.ts'

/** See the file. */
export function useLanguageWords() {
  const { t, i18n } = useTranslation('team')
  return {
    /** Rights in a few words. */
    wordsOf(rights: readonly LanguageRight[] | null): string {
      const listed = listedRight(rights)
      if (listed === undefined) return t('otherRights')
      const { languages, may } = listed
      if (rights === null) return t('allLanguages')
      const names =
        languages.length === 0
          ? t('allLanguages')
          : new Intl.ListFormat(i18n.language, { type: 'unit' }).format(languages.map(isolated))
      return t('languagesAs', { languages: names, may: t(`may.${may}`) })
    },
    /** Why a typed list is none; '' for a right one. */
    faultOf(typed: string): string {
      const tag = wrongTag(tagsIn(typed))
      return tag === undefined ? '' : t('noTag', { tag })
    },
  }
}
