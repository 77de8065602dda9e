/** Fields of the forms of projects: a language, and the format of files. */
import type { TFunction } from 'i18next'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Project } from '../api/client.ts'
import { findLanguage, type LanguageMatch, suggestLanguages } from '../i18n/find-language.ts'
import { languageName } from '../i18n/languages.ts'
import { ComboField } from '../ui/combo-field.tsx'
import { Select } from '../ui/select.tsx'

interface LanguageProps {
  label: ReactNode
  hint?: ReactNode
  error?: string
  /** A BCP 47 tag, or part of a name or a tag. */
  value: string
  onChange: (value: string) => void
  /** Tags that are not offered. */
  without?: readonly string[]
  autoFocus?: boolean
}

/** Suggests languages that match by a name or the tag; Enter chooses the first. */
export function LanguageField({ without = [], hint, ...props }: LanguageProps) {
  const { i18n } = useTranslation('projects')
  const languages = suggestLanguages(props.value, i18n.language, without)
  const items = languages.map(({ tag, name, own }) => ({ id: tag, label: name, note: `${own} · ${tag}` }))
  // The field shows the tag.
  const name = items.some(({ id }) => id === props.value) && languageName(props.value, i18n.language)
  return (
    <ComboField
      {...props}
      hint={
        <>
          {name && <strong>{name} · </strong>}
          {hint}
        </>
      }
      items={items}
      ranked
    />
  )
}

/**
 * The state of a {@link LanguageField}, and the rule of all forms: names, tags and codes resolve. A tag without a known
 * name is used when sent twice. `resolve` returns the tag, or undefined after the field has shown the reason.
 */
export function useLanguage(initial = '') {
  const { t, i18n } = useTranslation('projects')
  const [value, setValue] = useState(initial)
  const [error, setError] = useState('')
  const [asked, setAsked] = useState<string>()
  const onChange = (typed: string) => {
    setValue(typed)
    setError('')
  }
  const resolve = (): string | undefined => {
    const found = findLanguage(value, i18n.language)
    if (found.is === 'found' || (found.is === 'nameless' && found.tag === asked)) {
      onChange(found.tag)
      return found.tag
    }
    if (found.is === 'nameless') setAsked(found.tag)
    setError(whyNot(found, value.trim(), t, i18n.language))
    return undefined
  }
  return { field: { value, onChange, error }, resolve, refuse: setError }
}

/** Most languages that a sentence names. */
const MOST_NAMED = 4

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

type Format = Project['defaultFormat']

/** How keys lie in a project's files: nested or flat, each with an example. */
export function FormatChoice(props: { value: Format; onChange: (value: Format) => void; hint?: string }) {
  const { t } = useTranslation('projects')
  return (
    <Select
      label={t('format')}
      choices={[
        { id: 'i18next-json', label: t('nested'), note: '{ "nav": { "home": "…" } }' },
        { id: 'i18next-json-flat', label: t('flat'), note: '{ "nav.home": "…" }' },
      ]}
      {...props}
    />
  )
}
