/** A language tag, found by the language's name. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { languageName, ownName } from '../i18n/languages.ts'
import { ComboField } from '../ui/combo.tsx'

/** The languages that most software is translated into. */
const OFFERED =
  'ar bg bn ca cs da de el en en-GB en-US es es-419 et eu fa fi fil fr fr-CA gl gu he hi hr hu hy id is it ja ka kk km kn ko lo lt lv mk ml mn mr ms my nb ne nl nn pa pl pt pt-BR pt-PT ro ru si sk sl sq sr sr-Latn sv sw ta te th tr uk ur uz vi zh-Hans zh-Hant zu'.split(
    ' ',
  )

interface Props {
  label: ReactNode
  hint?: ReactNode
  error?: string
  /** A BCP 47 tag, or what of it is typed. */
  value: string
  onChange: (value: string) => void
  /** Tags that are not offered. */
  without?: readonly string[]
  autoFocus?: boolean
}

/** Any tag can be typed; names are found in the reader's language and in their own. */
export function LanguageField({ without = [], hint, ...props }: Props) {
  const { i18n } = useTranslation('projects')
  const items = OFFERED.filter(id => !without.includes(id)).map(id => ({
    id,
    label: languageName(id, i18n.language),
    note: `${ownName(id)} · ${id}`,
  }))
  // In the field stands its tag.
  const name = items.find(({ id }) => id === props.value)?.label
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
    />
  )
}
