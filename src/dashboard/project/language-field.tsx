/** A language, found by its names and its tag. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { suggestLanguages } from '../i18n/find-language.ts'
import { languageName } from '../i18n/languages.ts'
import { ComboField } from '../ui/combo-field.tsx'

interface Props {
  label: ReactNode
  hint?: ReactNode
  error?: string
  /** A BCP 47 tag, or what of a name or a tag is typed; see `useLanguage`. */
  value: string
  onChange: (value: string) => void
  /** Tags that are not offered. */
  without?: readonly string[]
  autoFocus?: boolean
}

/** Suggests languages that match; Enter chooses the first. */
export function LanguageField({ without = [], hint, ...props }: Props) {
  const { i18n } = useTranslation('projects')
  const items = suggestLanguages(props.value, i18n.language, without).map(({ tag, name, own }) => ({
    id: tag,
    label: name,
    note: `${own} · ${tag}`,
  }))
  // The field shows the tag.
  const name = items.some(({ id }) => id === props.value) ? languageName(props.value, i18n.language) : undefined
  return (
    <ComboField
      {...props}
      hint={
        <>
          {name !== undefined && <strong>{name} · </strong>}
          {hint}
        </>
      }
      items={items}
      ranked
    />
  )
}
