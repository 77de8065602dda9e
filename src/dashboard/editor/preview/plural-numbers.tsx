/** Which numbers a plural form is for. */
import { useTranslation } from 'react-i18next'
import type { MessageLeaf } from '../model/leaves.ts'
import { examplesOfForm } from './examples.ts'

interface Props {
  /** Of the text, BCP 47. */
  language: string
  leaf: MessageLeaf
  /** Whether the same text has a form for 0 alone. */
  hasZero?: boolean
}

/** A few of them, in the reader's digits: `2, 3, 4, 22 …`; nothing for a text, or a form that no number has. */
export function PluralNumbers({ language, leaf, hasZero = false }: Props) {
  const { i18n } = useTranslation()
  if (leaf.kind === 'text') return null
  const { numbers, more } = examplesOfForm(language, leaf.kind, leaf.form, hasZero)
  const format = new Intl.NumberFormat(i18n.language)
  return numbers.length > 0 && <span>{numbers.map(format.format).join(', ') + (more ? ' …' : '')}</span>
}
