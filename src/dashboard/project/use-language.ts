/** The text in a field for a language, and its tag. */
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findLanguage, type LanguageMatch } from '../i18n/find-language.ts'

/** The props for a `LanguageField`, and the function that its form calls. */
export interface LanguageEntry {
  field: { value: string; onChange: (value: string) => void; error: string }
  /** The BCP 47 tag of the typed text. Undefined after the field has shown why there is none. */
  resolve: () => string | undefined
  /** Shows why a tag cannot be used here. */
  refuse: (why: string) => void
}

/** Most languages that a sentence names. */
const MOST_NAMED = 4

/** The one rule of all forms: names, tags and codes resolve; a tag without a known name is used when sent twice. */
export function useLanguage(initial = ''): LanguageEntry {
  const { t, i18n } = useTranslation('projects')
  const [value, setValue] = useState(initial)
  const [error, setError] = useState('')
  const [asked, setAsked] = useState<string>()
  const resolve = () => {
    const found = findLanguage(value, i18n.language)
    if (found.is === 'found' || (found.is === 'nameless' && found.tag === asked)) {
      setValue(found.tag)
      setError('')
      return found.tag
    }
    if (found.is === 'nameless') setAsked(found.tag)
    setError(whyNot(found, value.trim(), t, i18n.language))
    return undefined
  }
  const onChange = (typed: string) => {
    setValue(typed)
    setError('')
  }
  return { field: { value, onChange, error }, resolve, refuse: setError }
}

/** Why the typed text is not a language yet, as a sentence. @param t of any namespace @param reader BCP 47 */
export function whyNot(
  found: Exclude<LanguageMatch, { is: 'found' }>,
  typed: string,
  t: TFunction,
  reader: string,
): string {
  if (typed === '') return t('projects:languageMissing')
  if (found.is === 'unknown') return t('projects:languageUnknown', { typed })
  if (found.is === 'nameless') return t('projects:languageNameless', { tag: found.tag })
  const some = found.languages.slice(0, MOST_NAMED).map(({ name, tag }) => `${name} (${tag})`)
  const languages = new Intl.ListFormat(reader, { type: 'disjunction' }).format(some)
  return t('projects:languageAmbiguous', { typed, languages })
}
