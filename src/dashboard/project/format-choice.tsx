/** How keys lie in a project's files. */
import { useTranslation } from 'react-i18next'
import type { Project } from '../api/client.ts'
import { Select } from '../ui/select.tsx'

interface Props {
  value: Project['defaultFormat']
  onChange: (value: Project['defaultFormat']) => void
  hint?: string
}

/** Nested or flat, each with an example. */
export function FormatChoice({ value, onChange, hint }: Props) {
  const { t } = useTranslation('projects')
  return (
    <Select
      label={t('format')}
      {...(hint !== undefined && { hint })}
      choices={[
        { id: 'i18next-json', label: t('nested'), note: '{ "nav": { "home": "…" } }' },
        { id: 'i18next-json-flat', label: t('flat'), note: '{ "nav.home": "…" }' },
      ]}
      value={value}
      onChange={onChange}
    />
  )
}
