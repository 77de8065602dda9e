/** Which numbers a plural form is for. */
import { useTranslation } from 'react-i18next'
import { examplesOfForm, readForm } from './examples.ts'

interface Props {
  /** Of the text, BCP 47. */
  language: string
  /** `few`, `ordinal_few`. */
  form: string
  /** Whether the same text has a form for 0 alone. */
  hasZero?: boolean
}

/** A few of them, in the reader's digits: `2, 3, 4, 22 …`; nothing for a form that no number has. */
export function PluralNumbers({ language, form, hasZero = false }: Props) {
  const { i18n } = useTranslation()
  const { kind, form: name } = readForm(form)
  const { numbers, more } = examplesOfForm(language, kind, name, hasZero)
  const format = new Intl.NumberFormat(i18n.language)
  return (
    numbers.length > 0 && <span>{numbers.map(number => format.format(number)).join(', ') + (more ? ' …' : '')}</span>
  )
}
