/** React Aria's own few words, and its directions, in the page's language. */
import type { ReactNode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { useTranslation } from 'react-i18next'

/** Around whatever has controls of React Aria. */
export function Spoken({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation()
  return <I18nProvider locale={i18n.language}>{children}</I18nProvider>
}
