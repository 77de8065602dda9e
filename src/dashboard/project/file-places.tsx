/** Which bundle each dropped file goes to; what was guessed can be changed. */
import { useTranslation } from 'react-i18next'
import { Badge } from '../ui/badge.tsx'
import { TextField } from '../ui/field.tsx'
import table from '../ui/table.module.css'
import { type Placed, twiceIn } from './placed-files.ts'
import styles from './project.module.css'

interface Props {
  files: readonly Placed[]
  onChange: (files: Placed[]) => void
}

/** A row a file. */
export function FilePlaces({ files, onChange }: Props) {
  const { t } = useTranslation('projects')
  const twice = twiceIn(files)
  const change = (id: string, part: Partial<Placed>) =>
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
                {(['language', 'namespace'] as const).map(part => (
                  <td key={part}>
                    <TextField
                      aria-label={t('partOf', { part: t(`common:${part}`), path })}
                      value={(part === 'language' ? language : namespace) ?? ''}
                      onChange={value => change(id, { [part]: value.trim() === '' ? null : value.trim() })}
                      isDisabled={fault !== null}
                      code
                    />
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
