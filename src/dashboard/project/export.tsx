/** The download of a project's files. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Manifest } from '../api/client.ts'
import { serverAddress } from '../api/server-address.ts'
import { languageName } from '../i18n/languages.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { Select } from '../ui/select.tsx'
import type { MatrixPlace } from './matrix-axes.ts'

interface Props {
  slug: string
  manifest: Manifest
  /** What is chosen first. */
  place: MatrixPlace
  onClose: () => void
}

/** A link to the API's export; the browser saves the download. */
export function Export({ slug, manifest, place, onClose }: Props) {
  const { t, i18n } = useTranslation('projects')
  const [language, setLanguage] = useState(place.language ?? '')
  const [namespace, setNamespace] = useState(place.namespace ?? '')
  const [format, setFormat] = useState<'zip' | 'json'>('zip')
  const [filled, setFilled] = useState(false)
  const query = new URLSearchParams()
  if (language !== '') query.set('language', language)
  if (namespace !== '') query.set('namespace', namespace)
  if (format === 'json') query.set('format', 'json')
  if (filled) query.set('empty', 'omit')
  const href = `${serverAddress()}/api/projects/${encodeURIComponent(slug)}/export?${query}`
  return (
    <Dialog title={t('export')} isOpen onClose={onClose}>
      <div className="stack">
        <Select
          label={t('common:languages')}
          choices={[
            { id: '', label: t('allLanguages') },
            ...manifest.languages.map(id => ({ id, label: languageName(id, i18n.language), note: id })),
          ]}
          value={language}
          onChange={setLanguage}
        />
        <Select
          label={t('common:namespace')}
          choices={[{ id: '', label: t('allNamespaces') }, ...manifest.namespaces.map(id => ({ id, label: id }))]}
          value={namespace}
          onChange={setNamespace}
        />
        <Select
          label={t('format')}
          choices={[
            { id: 'zip', label: t('zip'), note: '<language>/<namespace>.json' },
            { id: 'json', label: t('oneJson'), note: '{ language: { namespace: { … } } }' },
          ]}
          value={format}
          onChange={setFormat}
        />
        <Checkbox isSelected={filled} onChange={setFilled}>
          {t('leaveEmptyOut')}
        </Checkbox>
        <Actions>
          <ButtonLink look="primary" href={href} download={`${slug}.${format}`} onClick={onClose}>
            {t('common:download')}
          </ButtonLink>
        </Actions>
      </div>
    </Dialog>
  )
}
