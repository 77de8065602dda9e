/** The bundle of each dropped file; the user can correct the guess. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findLanguage } from '../i18n/find-language.ts'
import { Badge } from '../ui/badge.tsx'
import table from '../ui/table.module.css'
import { TextField } from '../ui/text-field.tsx'
import { type PlacedFile, twiceIn } from './placed-files.ts'
import styles from './project.module.css'
import { whyNot } from './use-language.ts'

interface Props {
  files: readonly PlacedFile[]
  onChange: (files: PlacedFile[]) => void
}

/** A row a file. */
export function FilePlaces({ files, onChange }: Props) {
  const { t } = useTranslation('projects')
  const twice = twiceIn(files)
  const change = (id: string, part: Partial<PlacedFile>) =>
    onChange(files.map(file => (file.id === id ? { ...file, ...part } : file)))
  return (
    <div className={`${table.frame} ${styles.plan}`}>
      <table className={table.table} aria-label={t('placesOfFiles')}>
        <thead>
          <tr>
            <th scope="col">{t('file')}</th>
            <th scope="col">{t('common:language')}</th>
            <th scope="col">{t('common:namespace')}</th>
          </tr>
        </thead>
        <tbody>
          {files.map(file => {
            const { id, path, language, namespace, fault } = file
            const wrong = fault ?? (twice.has(file) ? 'twice' : null)
            const isLeftOut = wrong === null && (language === null || namespace === null)
            return (
              <tr key={id}>
                <th scope="row">
                  <code>{path}</code>{' '}
                  {wrong !== null && (
                    <Badge kind="bad" mark="!">
                      {t(`fault.${wrong}`)}
                    </Badge>
                  )}
                  {isLeftOut && (
                    <Badge kind="warn" mark="·">
                      {t('fault.left-out')}
                    </Badge>
                  )}
                </th>
                <td>
                  <LanguageOf
                    file={file}
                    label={t('partOf', { part: t('common:language'), path })}
                    onChange={language => change(id, { language })}
                  />
                </td>
                <td>
                  <TextField
                    aria-label={t('partOf', { part: t('common:namespace'), path })}
                    value={namespace ?? ''}
                    onChange={value => change(id, { namespace: value.trim() === '' ? null : value.trim() })}
                    isDisabled={fault !== null}
                    code
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

interface LanguageProps {
  file: PlacedFile
  label: string
  onChange: (language: string | null) => void
}

/** Accepts any name, tag or code, and shows the tag after the field is left. An empty field excludes the file. */
function LanguageOf({ file: { language, fault }, label, onChange }: LanguageProps) {
  const { t, i18n } = useTranslation('projects')
  const [typed, setTyped] = useState(language ?? '')
  const [error, setError] = useState('')
  const type = (value: string) => {
    const now = findLanguage(value, i18n.language)
    setTyped(value)
    setError('')
    onChange('tag' in now ? now.tag : null)
  }
  const leave = () => {
    const found = findLanguage(typed, i18n.language)
    if ('tag' in found) setTyped(found.tag)
    else if (typed.trim() !== '') setError(whyNot(found, typed.trim(), t, i18n.language))
  }
  return (
    <TextField
      aria-label={label}
      value={typed}
      onChange={type}
      onBlur={leave}
      error={error}
      isDisabled={fault !== null}
      code
    />
  )
}
