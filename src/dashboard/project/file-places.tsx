/** Which bundle each dropped file goes to; what was guessed can be changed. */
import { useTranslation } from 'react-i18next'
import { Badge } from '../ui/badge.tsx'
import { TextField } from '../ui/field.tsx'
import table from '../ui/table.module.css'
import type { Placed } from './placed-files.ts'
import styles from './project.module.css'

interface Props {
  files: readonly Placed[]
  onChange: (files: Placed[]) => void
}

/** A row a file. */
export function FilePlaces({ files, onChange }: Props) {
  const { t } = useTranslation('projects')
  const change = (path: string, part: Partial<Placed>) =>
    onChange(files.map(file => (file.path === path ? { ...file, ...part } : file)))
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
          {files.map(({ path, language, namespace, fault }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>{' '}
                {fault !== null && (
                  <Badge kind="bad" mark="!">
                    {t(`fault.${fault}`)}
                  </Badge>
                )}
              </th>
              {(['language', 'namespace'] as const).map(part => (
                <td key={part}>
                  <TextField
                    aria-label={t('partOf', { part: t(`common:${part}`), path })}
                    value={(part === 'language' ? language : namespace) ?? ''}
                    onChange={value => change(path, { [part]: value.trim() === '' ? null : value.trim() })}
                    isDisabled={fault !== null}
                    code
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
