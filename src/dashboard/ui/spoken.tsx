/** React Aria's own words and text direction, in the dashboard's language. */
import type { ReactNode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { useTranslation } from 'react-i18next'

/** Wraps every use of React Aria's controls. */
export function Spoken({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation()
  return <I18nProvider locale={i18n.language}>{children}</I18nProvider>
}
